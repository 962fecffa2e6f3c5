DROP INDEX "dms_leased";--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "handed_over_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "dms_leased" ON "dms" USING btree ("campaign_id","lease_expires_at") WHERE lease_expires_at is not null;