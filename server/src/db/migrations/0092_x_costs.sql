CREATE TABLE "x_billed_resources" (
	"day" date NOT NULL,
	"x_app_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"x_id" text NOT NULL,
	CONSTRAINT "x_billed_resources_day_x_app_id_resource_x_id_pk" PRIMARY KEY("day","x_app_id","resource","x_id")
);
--> statement-breakpoint
CREATE TABLE "x_charges" (
	"workspace_id" uuid NOT NULL,
	"day" date NOT NULL,
	"x_account_id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"resource" text NOT NULL,
	"count" integer NOT NULL,
	"mills" integer,
	CONSTRAINT "x_charges_workspace_id_day_x_account_id_purpose_resource_pk" PRIMARY KEY("workspace_id","day","x_account_id","purpose","resource")
);
--> statement-breakpoint
CREATE TABLE "x_spending" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"limit_cents" integer,
	"month" date NOT NULL,
	"mills" bigint NOT NULL,
	"warned_month" date,
	"reached_month" date
);
--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "funds_alarmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_charges" ADD CONSTRAINT "x_charges_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "x_spending" ADD CONSTRAINT "x_spending_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;