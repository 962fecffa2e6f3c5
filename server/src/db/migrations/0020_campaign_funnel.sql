ALTER TABLE "campaigns" ADD COLUMN "dms_delivered_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE campaigns c SET dms_delivered_count = d.n
  FROM (SELECT campaign_id, count(*) AS n FROM dms WHERE status IN ('delivered', 'replied') GROUP BY 1) d WHERE c.id = d.campaign_id;
--> statement-breakpoint
-- As in 0019_smart_lists.sql, and how many of those sent have arrived.
CREATE OR REPLACE FUNCTION count_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered
            FROM added GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count - d.queued, dms_sent_count = c.dms_sent_count - d.sent,
        dms_failed_count = c.dms_failed_count - d.failed, dms_replied_count = c.dms_replied_count - d.replied,
        dms_delivered_count = c.dms_delivered_count - d.delivered
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered
            FROM removed GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSE
    -- Only where a status changed; claiming a message changes none and locks no campaign.
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered
      FROM (SELECT campaign_id,
              coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) AS queued,
              coalesce(sum(n) FILTER (WHERE status IN ('sent', 'delivered', 'replied')), 0) AS sent,
              coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS failed,
              coalesce(sum(n) FILTER (WHERE status = 'replied'), 0) AS replied,
              coalesce(sum(n) FILTER (WHERE status IN ('delivered', 'replied')), 0) AS delivered
            FROM (SELECT campaign_id, status, 1 AS n FROM added UNION ALL SELECT campaign_id, status, -1 FROM removed) changes
            GROUP BY 1) d
      WHERE c.id = d.campaign_id AND (d.queued <> 0 OR d.sent <> 0 OR d.failed <> 0 OR d.replied <> 0 OR d.delivered <> 0);
  END IF;
  RETURN NULL;
END
$$;
