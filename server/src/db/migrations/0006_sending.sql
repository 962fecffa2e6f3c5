ALTER TABLE "dms" ADD COLUMN "tried_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "dms_event" ON "dms" USING btree ("x_event_id") WHERE x_event_id is not null;--> statement-breakpoint
CREATE INDEX "x_accounts_of_user" ON "x_accounts" USING btree ("x_user_id");