CREATE TABLE "opener_counts" (
	"workspace_id" uuid NOT NULL,
	"campaign_id" uuid NOT NULL,
	"draft" integer DEFAULT 0 NOT NULL,
	"approved" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "opener_counts_workspace_id_campaign_id_pk" PRIMARY KEY("workspace_id","campaign_id")
);
--> statement-breakpoint
CREATE TABLE "openers" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"text" text NOT NULL,
	"facts_used" text[] NOT NULL,
	"profile_hash" text NOT NULL,
	"source" text NOT NULL,
	"status" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"approved_by" uuid,
	"approved_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "openers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"input" jsonb NOT NULL,
	"place" uuid,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"error" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_by" uuid NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jobs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "opener_counts" ADD CONSTRAINT "opener_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "openers" ADD CONSTRAINT "openers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "openers_once" ON "openers" USING btree ("workspace_id","campaign_id","lead_id");--> statement-breakpoint
CREATE INDEX "openers_lead" ON "openers" USING btree ("workspace_id","lead_id");--> statement-breakpoint
CREATE INDEX "openers_listed" ON "openers" USING btree ("workspace_id","campaign_id","id");--> statement-breakpoint
CREATE INDEX "openers_status" ON "openers" USING btree ("workspace_id","campaign_id","status","id");--> statement-breakpoint
CREATE INDEX "jobs_newest" ON "jobs" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_created" ON "jobs" USING btree ("created_at");