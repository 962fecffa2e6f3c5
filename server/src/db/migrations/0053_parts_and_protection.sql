ALTER TABLE "sending_settings" ALTER COLUMN "basis_required" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "watched_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "next_part_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "part_plan" text;--> statement-breakpoint
ALTER TABLE "sending_settings" ADD COLUMN "refusal_percent" smallint;--> statement-breakpoint
ALTER TABLE "sending_settings" ADD COLUMN "closed_inbox_percent" smallint;--> statement-breakpoint
ALTER TABLE "sending_settings" ADD COLUMN "opt_outs_per_hundred" smallint;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "refusal" text;--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "is_unqueued" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "campaigns_parts" ON "campaigns" USING btree ("queued_at","id") WHERE status = 'active' and next_part_at is not null;--> statement-breakpoint
CREATE INDEX "enrollments_unqueued" ON "enrollments" USING btree ("workspace_id","campaign_id","id") WHERE is_unqueued;