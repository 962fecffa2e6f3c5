-- An index over an expression answers alone only where it also holds the column that the expression reads:
-- counts within bounds, and pages far back in an order, then need not look at each lead.
DROP INDEX leads_followers;
--> statement-breakpoint
CREATE INDEX leads_followers ON leads (workspace_id, (coalesce(follower_count, -1)), id) INCLUDE (follower_count);
--> statement-breakpoint
DROP INDEX leads_name;
--> statement-breakpoint
CREATE INDEX leads_name ON leads (workspace_id, (lower(name)), id) INCLUDE (name);
--> statement-breakpoint
DROP INDEX leads_status;
--> statement-breakpoint
CREATE INDEX leads_status ON leads (workspace_id, (case dm_status when 'contacted' then 'sent' when 'failed_contact' then 'failed' else dm_status end), created_at, id) INCLUDE (dm_status);
