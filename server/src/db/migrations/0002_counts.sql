-- Counts that screens show are kept by statement-level triggers: every path that changes rows keeps them, and one statement over many rows costs one update.

CREATE FUNCTION count_leads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO lead_counts AS c (workspace_id, dm_status, count)
      SELECT workspace_id, dm_status, count(*) FROM added GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (workspace_id, dm_status) DO UPDATE SET count = c.count + excluded.count;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE lead_counts c SET count = c.count - d.n
      FROM (SELECT workspace_id, dm_status, count(*) AS n FROM removed GROUP BY 1, 2) d
      WHERE c.workspace_id = d.workspace_id AND c.dm_status = d.dm_status;
  ELSE
    INSERT INTO lead_counts AS c (workspace_id, dm_status, count)
      SELECT workspace_id, dm_status, sum(n) FROM (
        SELECT workspace_id, dm_status, 1 AS n FROM added UNION ALL SELECT workspace_id, dm_status, -1 FROM removed
      ) changes GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2
      ON CONFLICT (workspace_id, dm_status) DO UPDATE SET count = c.count + excluded.count;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER leads_counted_insert AFTER INSERT ON leads REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_leads();
--> statement-breakpoint
CREATE TRIGGER leads_counted_delete AFTER DELETE ON leads REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_leads();
--> statement-breakpoint
CREATE TRIGGER leads_counted_update AFTER UPDATE ON leads REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_leads();
--> statement-breakpoint

CREATE FUNCTION count_list_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE lead_lists l SET lead_count = l.lead_count + d.n
      FROM (SELECT lead_list_id, count(*) AS n FROM added GROUP BY 1) d WHERE l.id = d.lead_list_id;
  ELSE
    UPDATE lead_lists l SET lead_count = l.lead_count - d.n
      FROM (SELECT lead_list_id, count(*) AS n FROM removed GROUP BY 1) d WHERE l.id = d.lead_list_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER list_items_counted_insert AFTER INSERT ON lead_list_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_list_items();
--> statement-breakpoint
CREATE TRIGGER list_items_counted_delete AFTER DELETE ON lead_list_items REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_list_items();
--> statement-breakpoint

CREATE FUNCTION count_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent, dms_failed_count = c.dms_failed_count + d.failed
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed
            FROM added GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count - d.queued, dms_sent_count = c.dms_sent_count - d.sent, dms_failed_count = c.dms_failed_count - d.failed
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed
            FROM removed GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSE
    -- Only where a status changed; claiming a message changes none and locks no campaign.
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent, dms_failed_count = c.dms_failed_count + d.failed
      FROM (SELECT campaign_id,
              sum(n) FILTER (WHERE status = 'queued') AS queued,
              sum(n) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              sum(n) FILTER (WHERE status = 'failed') AS failed
            FROM (SELECT campaign_id, status, 1 AS n FROM added UNION ALL SELECT campaign_id, status, -1 FROM removed) changes
            GROUP BY 1) s
      CROSS JOIN LATERAL (SELECT s.campaign_id, coalesce(s.queued, 0) AS queued, coalesce(s.sent, 0) AS sent, coalesce(s.failed, 0) AS failed) d
      WHERE c.id = d.campaign_id AND (d.queued <> 0 OR d.sent <> 0 OR d.failed <> 0);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER dms_counted_insert AFTER INSERT ON dms REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_dms();
--> statement-breakpoint
CREATE TRIGGER dms_counted_delete AFTER DELETE ON dms REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_dms();
--> statement-breakpoint
CREATE TRIGGER dms_counted_update AFTER UPDATE ON dms REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_dms();
