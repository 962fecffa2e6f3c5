ALTER TABLE "campaigns" ADD COLUMN "undo_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "launched_from" text;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "undo_id" uuid;--> statement-breakpoint
CREATE INDEX "dms_undo" ON "dms" USING btree ("workspace_id","undo_id") WHERE undo_id is not null and status = 'queued';