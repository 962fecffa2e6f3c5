DROP INDEX "dms_variants";--> statement-breakpoint
DROP INDEX "dms_answered";--> statement-breakpoint
DROP INDEX "enrollments_state";--> statement-breakpoint
CREATE INDEX "dms_people" ON "dms" USING btree ("campaign_id","variant_id","status","enrollment_id") WHERE enrollment_id is not null;--> statement-breakpoint
CREATE INDEX "dms_variants" ON "dms" USING btree ("campaign_id","variant_id","sent_at","id") WHERE sent_at is not null;--> statement-breakpoint
CREATE INDEX "dms_answered" ON "dms" USING btree ("campaign_id","variant_id","answers","enrollment_id") WHERE status = 'replied' and answers <> 0;--> statement-breakpoint
CREATE INDEX "enrollments_state" ON "enrollments" USING btree ("workspace_id","campaign_id","state","id","last_step_number");