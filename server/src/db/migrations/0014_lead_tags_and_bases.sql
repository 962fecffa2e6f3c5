CREATE TABLE "lead_removals" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"lead_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "removed_leads" (
	"removal_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"lead" jsonb NOT NULL,
	"places" jsonb NOT NULL,
	"tag_ids" uuid[] NOT NULL,
	"scrape_ids" uuid[] NOT NULL,
	"dm_ids" uuid[] NOT NULL,
	CONSTRAINT "removed_leads_removal_id_lead_id_pk" PRIMARY KEY("removal_id","lead_id")
);
--> statement-breakpoint
CREATE TABLE "saved_filters" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"name" text NOT NULL,
	"filter" jsonb NOT NULL,
	"sort" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lead_tags" (
	"tag_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_tags_tag_id_lead_id_pk" PRIMARY KEY("tag_id","lead_id")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"name" text NOT NULL,
	"color" text NOT NULL,
	"lead_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "basis" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "basis_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "basis_source" text;--> statement-breakpoint
ALTER TABLE "lead_removals" ADD CONSTRAINT "lead_removals_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removed_leads" ADD CONSTRAINT "removed_leads_removal_id_lead_removals_id_fk" FOREIGN KEY ("removal_id") REFERENCES "public"."lead_removals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_tags" ADD CONSTRAINT "lead_tags_tag_id_tags_id_fk" FOREIGN KEY ("tag_id") REFERENCES "public"."tags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_tags" ADD CONSTRAINT "lead_tags_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lead_removals_workspace" ON "lead_removals" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "lead_removals_oldest" ON "lead_removals" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_filters_name" ON "saved_filters" USING btree ("workspace_id",lower(name));--> statement-breakpoint
CREATE INDEX "lead_tags_lead" ON "lead_tags" USING btree ("lead_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name" ON "tags" USING btree ("workspace_id",lower(name));--> statement-breakpoint
CREATE INDEX "leads_bio" ON "leads" USING btree ("workspace_id",lower(left(coalesce(bio, ''), 60)),"id");--> statement-breakpoint
CREATE INDEX "leads_basis" ON "leads" USING btree ("workspace_id","basis","created_at","id") WHERE basis <> 'none';--> statement-breakpoint
ALTER TABLE "leads" ADD CONSTRAINT "leads_basis_known" CHECK ((basis = 'none') = (basis_at is null));--> statement-breakpoint
CREATE FUNCTION count_lead_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE tags t SET lead_count = t.lead_count + d.n
      FROM (SELECT tag_id, count(*) AS n FROM added GROUP BY 1) d WHERE t.id = d.tag_id;
  ELSE
    UPDATE tags t SET lead_count = t.lead_count - d.n
      FROM (SELECT tag_id, count(*) AS n FROM removed GROUP BY 1) d WHERE t.id = d.tag_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER lead_tags_counted_insert AFTER INSERT ON lead_tags REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_lead_tags();
--> statement-breakpoint
CREATE TRIGGER lead_tags_counted_delete AFTER DELETE ON lead_tags REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_lead_tags();
