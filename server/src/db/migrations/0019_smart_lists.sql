ALTER TABLE "campaigns" ADD COLUMN "dms_replied_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD COLUMN "filter" jsonb;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD COLUMN "contacted_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD COLUMN "counted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD COLUMN "count_ms" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE lead_lists l SET contacted_count = d.n
  FROM (SELECT lead_list_id, count(*) AS n FROM lead_list_items WHERE contact_status = 'contacted' GROUP BY 1) d WHERE l.id = d.lead_list_id;
--> statement-breakpoint
UPDATE campaigns c SET dms_replied_count = d.n
  FROM (SELECT campaign_id, count(*) AS n FROM dms WHERE status = 'replied' GROUP BY 1) d WHERE c.id = d.campaign_id;
--> statement-breakpoint
-- As in 0002_counts.sql, and how many of a list are contacted.
CREATE OR REPLACE FUNCTION count_list_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE lead_lists l SET lead_count = l.lead_count + d.n, contacted_count = l.contacted_count + d.contacted
      FROM (SELECT lead_list_id, count(*) AS n, count(*) FILTER (WHERE contact_status = 'contacted') AS contacted FROM added GROUP BY 1) d
      WHERE l.id = d.lead_list_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE lead_lists l SET lead_count = l.lead_count - d.n, contacted_count = l.contacted_count - d.contacted
      FROM (SELECT lead_list_id, count(*) AS n, count(*) FILTER (WHERE contact_status = 'contacted') AS contacted FROM removed GROUP BY 1) d
      WHERE l.id = d.lead_list_id;
  ELSE
    UPDATE lead_lists l SET contacted_count = l.contacted_count + d.n
      FROM (SELECT lead_list_id, sum(n) AS n FROM (
          SELECT lead_list_id, 1 AS n FROM added WHERE contact_status = 'contacted'
          UNION ALL SELECT lead_list_id, -1 FROM removed WHERE contact_status = 'contacted'
        ) changes GROUP BY 1) d
      WHERE l.id = d.lead_list_id AND d.n <> 0;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER list_items_counted_update AFTER UPDATE ON lead_list_items REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_list_items();
--> statement-breakpoint
-- As in 0002_counts.sql, and how many of those sent were answered.
CREATE OR REPLACE FUNCTION count_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied
            FROM added GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count - d.queued, dms_sent_count = c.dms_sent_count - d.sent,
        dms_failed_count = c.dms_failed_count - d.failed, dms_replied_count = c.dms_replied_count - d.replied
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied
            FROM removed GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSE
    -- Only where a status changed; claiming a message changes none and locks no campaign.
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied
      FROM (SELECT campaign_id,
              coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) AS queued,
              coalesce(sum(n) FILTER (WHERE status IN ('sent', 'delivered', 'replied')), 0) AS sent,
              coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS failed,
              coalesce(sum(n) FILTER (WHERE status = 'replied'), 0) AS replied
            FROM (SELECT campaign_id, status, 1 AS n FROM added UNION ALL SELECT campaign_id, status, -1 FROM removed) changes
            GROUP BY 1) d
      WHERE c.id = d.campaign_id AND (d.queued <> 0 OR d.sent <> 0 OR d.failed <> 0 OR d.replied <> 0);
  END IF;
  RETURN NULL;
END
$$;
