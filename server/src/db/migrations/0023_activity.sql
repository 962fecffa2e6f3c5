CREATE TABLE "dm_activity" (
	"workspace_id" uuid NOT NULL,
	"campaign_id" uuid NOT NULL,
	"slot" timestamp (3) with time zone NOT NULL,
	"sent" integer NOT NULL,
	"delivered" integer NOT NULL,
	"replied" integer NOT NULL,
	CONSTRAINT "dm_activity_campaign_id_slot_pk" PRIMARY KEY("campaign_id","slot")
);
--> statement-breakpoint
ALTER TABLE "dm_activity" ADD CONSTRAINT "dm_activity_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD CONSTRAINT "dm_activity_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dm_activity_workspace" ON "dm_activity" USING btree ("workspace_id","slot");--> statement-breakpoint
CREATE INDEX "dms_answers" ON "dms" USING btree ("workspace_id","replied_at") WHERE status = 'replied' and replied_at is not null;--> statement-breakpoint
CREATE INDEX "dms_campaign_answers" ON "dms" USING btree ("campaign_id","replied_at") WHERE status = 'replied' and replied_at is not null;--> statement-breakpoint
-- The quarter of an hour in which a moment lies: every time zone's days begin with one.
CREATE FUNCTION activity_slot(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_bin('15 minutes', moment, timestamptz '2000-01-01 00:00:00+00')
$$;
--> statement-breakpoint
INSERT INTO dm_activity (workspace_id, campaign_id, slot, sent, delivered, replied)
  SELECT workspace_id, campaign_id, activity_slot(sent_at), count(*), count(*) FILTER (WHERE status IN ('delivered', 'replied')), count(*) FILTER (WHERE status = 'replied')
  FROM dms WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3;
--> statement-breakpoint
-- Its triggers come after those of count_dms() by name, so the campaign's row is locked before its activity.
CREATE FUNCTION date_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, sent, delivered, replied)
      SELECT workspace_id, campaign_id, activity_slot(sent_at), count(*),
        count(*) FILTER (WHERE status IN ('delivered', 'replied')), count(*) FILTER (WHERE status = 'replied')
      FROM added WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 2, 3
      ON CONFLICT (campaign_id, slot) DO UPDATE
        SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied;
  ELSIF TG_OP = 'DELETE' THEN
    -- Where the whole campaign goes, its activity may be gone already.
    UPDATE dm_activity a SET sent = a.sent - d.sent, delivered = a.delivered - d.delivered, replied = a.replied - d.replied
      FROM (SELECT campaign_id, activity_slot(sent_at) AS slot, count(*) AS sent,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered, count(*) FILTER (WHERE status = 'replied') AS replied
            FROM removed WHERE sent_at IS NOT NULL GROUP BY 1, 2) d
      WHERE a.campaign_id = d.campaign_id AND a.slot = d.slot;
  ELSE
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, sent, delivered, replied)
      SELECT workspace_id, campaign_id, activity_slot(sent_at), sum(n),
        coalesce(sum(n) FILTER (WHERE status IN ('delivered', 'replied')), 0), coalesce(sum(n) FILTER (WHERE status = 'replied'), 0)
      FROM (
        SELECT workspace_id, campaign_id, sent_at, status, 1 AS n FROM added
        UNION ALL SELECT workspace_id, campaign_id, sent_at, status, -1 FROM removed
      ) changes
      WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3
      HAVING sum(n) <> 0 OR coalesce(sum(n) FILTER (WHERE status IN ('delivered', 'replied')), 0) <> 0 OR coalesce(sum(n) FILTER (WHERE status = 'replied'), 0) <> 0
      ORDER BY 2, 3
      ON CONFLICT (campaign_id, slot) DO UPDATE
        SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER dms_dated_insert AFTER INSERT ON dms REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION date_dms();
--> statement-breakpoint
CREATE TRIGGER dms_dated_delete AFTER DELETE ON dms REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION date_dms();
--> statement-breakpoint
CREATE TRIGGER dms_dated_update AFTER UPDATE ON dms REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION date_dms();
