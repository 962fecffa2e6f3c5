DROP INDEX "dms_answered";--> statement-breakpoint
CREATE INDEX "dms_answered" ON "dms" USING btree ("campaign_id","variant_id","answers","sent_at","id") WHERE answers <> 0;