CREATE TABLE "conversation_offers" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"x_account_id" uuid NOT NULL,
	"x_user_id" text NOT NULL,
	"twitter_handle" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"declined_at" timestamp (3) with time zone,
	CONSTRAINT "conversation_offers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation_notes" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"text" text NOT NULL,
	"author_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_notes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "notes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "conversation_offers" ADD CONSTRAINT "conversation_offers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "conversation_offers_person" ON "conversation_offers" USING btree ("workspace_id","x_account_id","x_user_id");--> statement-breakpoint
CREATE INDEX "conversation_offers_newest" ON "conversation_offers" USING btree ("workspace_id","at","id");--> statement-breakpoint
CREATE INDEX "conversation_offers_oldest" ON "conversation_offers" USING btree ("at");--> statement-breakpoint
CREATE INDEX "conversation_notes_oldest" ON "conversation_notes" USING btree ("workspace_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "conversation_notes_lead" ON "conversation_notes" USING btree ("lead_id");