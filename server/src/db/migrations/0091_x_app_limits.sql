CREATE TABLE "x_app_claims" (
	"dm_id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"x_account_id" uuid NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "x_app_ids" uuid[] DEFAULT '{"00000000-0000-7000-8000-000000000001"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "x_authorizations" ADD COLUMN "x_app_id" uuid DEFAULT '00000000-0000-7000-8000-000000000001' NOT NULL;--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "daily_limit" integer;--> statement-breakpoint
CREATE INDEX "x_app_claims_day" ON "x_app_claims" USING btree ("client_id","claimed_at","x_account_id");--> statement-breakpoint
ALTER TABLE "x_authorizations" ADD CONSTRAINT "x_authorizations_x_app_id_x_apps_id_fk" FOREIGN KEY ("x_app_id") REFERENCES "public"."x_apps"("id") ON DELETE cascade ON UPDATE no action;