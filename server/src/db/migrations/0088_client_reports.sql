CREATE TABLE "reports" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"kind" text NOT NULL,
	"campaign_id" uuid,
	"month" text,
	"title" text NOT NULL,
	"sealed_token" text NOT NULL,
	"token_hash" text NOT NULL,
	"includes_people" boolean NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reports_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "reports_subject" CHECK ((kind = 'campaign') = (campaign_id is not null) and (kind = 'month') = (month is not null))
);
--> statement-breakpoint
CREATE TABLE "workspace_branding" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"logo" text,
	"color" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_branding" ADD CONSTRAINT "workspace_branding_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "reports_token" ON "reports" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "reports_campaign" ON "reports" USING btree ("campaign_id") WHERE campaign_id is not null;