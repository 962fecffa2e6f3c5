CREATE TABLE "x_apps" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid,
	"client_id" text,
	"sealed_client_secret" text,
	"sealed_consumer_secret" text,
	"sealed_bearer_token" text,
	"problem" text,
	"funds_empty_since" timestamp (3) with time zone,
	"funds_try_at" timestamp (3) with time zone,
	"rests_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "x_apps_workspace_id_unique" UNIQUE("workspace_id")
);
--> statement-breakpoint
INSERT INTO "x_apps" ("id") VALUES ('00000000-0000-7000-8000-000000000001');--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "x_app_id" uuid DEFAULT '00000000-0000-7000-8000-000000000001' NOT NULL;--> statement-breakpoint
ALTER TABLE "x_apps" ADD CONSTRAINT "x_apps_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD CONSTRAINT "x_accounts_x_app_id_x_apps_id_fk" FOREIGN KEY ("x_app_id") REFERENCES "public"."x_apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "x_accounts_of_app" ON "x_accounts" USING btree ("x_app_id");