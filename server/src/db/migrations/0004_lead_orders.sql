DROP INDEX "leads_newest";--> statement-breakpoint
DROP INDEX "leads_status";--> statement-breakpoint
DROP INDEX "leads_followers";--> statement-breakpoint
DROP INDEX "lead_list_items_newest";--> statement-breakpoint
DROP INDEX "lead_lists_newest";--> statement-breakpoint
DROP INDEX "scrapes_newest";--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "leads_name" ON "leads" USING btree ("workspace_id",lower(name),"id");--> statement-breakpoint
CREATE INDEX "leads_newest" ON "leads" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "leads_status" ON "leads" USING btree ("workspace_id",(case dm_status when 'contacted' then 'sent' when 'failed_contact' then 'failed' else dm_status end),"created_at","id");--> statement-breakpoint
CREATE INDEX "leads_followers" ON "leads" USING btree ("workspace_id",coalesce(follower_count, -1),"id");--> statement-breakpoint
CREATE INDEX "lead_list_items_newest" ON "lead_list_items" USING btree ("lead_list_id","added_at","lead_id");--> statement-breakpoint
CREATE INDEX "lead_lists_newest" ON "lead_lists" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "scrapes_newest" ON "scrapes" USING btree ("workspace_id","created_at","id");