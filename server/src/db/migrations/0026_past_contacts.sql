CREATE TABLE "past_contacts" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"x_user_hash" text,
	"handle_hash" text NOT NULL,
	"contacted_at" timestamp (3) with time zone,
	"replied_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "contacted_before_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "tags" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "finds" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "reads" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "scrape_leads" ADD COLUMN "found_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "past_contacts" ADD CONSTRAINT "past_contacts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "past_contacts_x_user" ON "past_contacts" USING btree ("workspace_id","x_user_hash") WHERE x_user_hash is not null;--> statement-breakpoint
CREATE INDEX "past_contacts_handle" ON "past_contacts" USING btree ("workspace_id","handle_hash");--> statement-breakpoint
UPDATE scrape_leads f SET found_at = s.created_at FROM scrapes s WHERE s.id = f.scrape_id;
--> statement-breakpoint
-- What can still be taken back: when tags were given and leads found was not kept so far.
UPDATE removed_leads r SET
  tags = (SELECT coalesce(jsonb_agg(jsonb_build_object('tag_id', tag_id, 'added_at', now())), '[]') FROM unnest(r.tag_ids) tag_id),
  finds = (SELECT coalesce(jsonb_agg(jsonb_build_object('scrape_id', scrape_id, 'found_at', now())), '[]') FROM unnest(r.scrape_ids) scrape_id);
--> statement-breakpoint
ALTER TABLE "removed_leads" DROP COLUMN "tag_ids";--> statement-breakpoint
ALTER TABLE "removed_leads" DROP COLUMN "scrape_ids";