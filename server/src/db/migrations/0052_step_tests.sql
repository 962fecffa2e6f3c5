CREATE TABLE "step_tests" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"step_id" uuid NOT NULL,
	"allocation" text NOT NULL,
	"window_days" integer NOT NULL,
	"variants" jsonb NOT NULL,
	"state" jsonb DEFAULT '{"pairs":[],"records":[]}'::jsonb NOT NULL,
	"verdict" jsonb,
	"is_split_off" boolean DEFAULT false NOT NULL,
	"shares" jsonb,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"next_at" timestamp (3) with time zone,
	CONSTRAINT "step_tests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
DROP INDEX "dms_variants";--> statement-breakpoint
ALTER TABLE "step_tests" ADD CONSTRAINT "step_tests_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "step_tests_current" ON "step_tests" USING btree ("workspace_id","campaign_id","step_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "step_tests_next" ON "step_tests" USING btree ("next_at") WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX "dms_variants" ON "dms" USING btree ("campaign_id","variant_id","sent_at","id") WHERE sent_at is not null;