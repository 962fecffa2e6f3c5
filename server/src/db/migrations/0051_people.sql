DROP INDEX "dms_variants";--> statement-breakpoint
ALTER TABLE "dm_activity" DROP CONSTRAINT "dm_activity_campaign_id_slot_pk";--> statement-breakpoint
ALTER TABLE "dm_activity" ALTER COLUMN "sent" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "dm_activity" ALTER COLUMN "delivered" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "dm_activity" ALTER COLUMN "replied" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "people_messaged" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "people_replied" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "people_positive" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "answers" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "person_answers" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "variant_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "x_account_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "user_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "failed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "answered" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "positive" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "opted_out" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "people" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "people_replied" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "people_positive" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD COLUMN "people_opted_out" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dm_activity" ADD CONSTRAINT "dm_activity_key" PRIMARY KEY("campaign_id","slot","variant_id","x_account_id","user_id");--> statement-breakpoint
CREATE INDEX "dms_answered" ON "dms" USING btree ("campaign_id","variant_id","id") WHERE answers <> 0;--> statement-breakpoint
CREATE INDEX "dms_variants" ON "dms" USING btree ("campaign_id","variant_id","status","id") WHERE sent_at is not null;
--> statement-breakpoint
-- Labels other than opt-outs are not known of earlier replies. No count changes.
ALTER TABLE dms DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE dms d SET answers = said.answers, person_answers = CASE WHEN d.step = 0 AND d.enrollment_id IS NOT NULL THEN said.answers ELSE 0 END
FROM (
  SELECT m.id, CASE WHEN EXISTS (SELECT FROM replies r WHERE r.dm_id = m.id AND r.label = 'opted_out') THEN 5 ELSE 1 END AS answers
  FROM dms m WHERE m.status = 'replied'
) said WHERE d.id = said.id;
--> statement-breakpoint
ALTER TABLE dms ENABLE TRIGGER USER;
--> statement-breakpoint
UPDATE campaigns c SET people_messaged = d.messaged, people_replied = d.replied
FROM (
  SELECT campaign_id, count(*) AS messaged, count(*) FILTER (WHERE person_answers & 1 > 0) AS replied
  FROM dms WHERE sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL GROUP BY 1
) d WHERE c.id = d.campaign_id;
--> statement-breakpoint
TRUNCATE dm_activity;
--> statement-breakpoint
INSERT INTO dm_activity (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
  coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
  sum(1 * (sent_at IS NOT NULL)::int) AS sent,
  sum(1 * (status IN ('delivered', 'replied'))::int) AS delivered,
  sum(1 * (status = 'replied')::int) AS replied,
  sum(1 * (status = 'failed')::int) AS failed,
  sum(1 * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
  sum(1 * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
  sum(1 * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
  sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
  sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
  sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
  sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
FROM dms WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
-- As in 0049_sequences.sql, and how many people were messaged and replied: by their first message.
CREATE OR REPLACE FUNCTION count_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered, firsts_queued_count = c.firsts_queued_count + d.firsts,
        people_messaged = c.people_messaged + d.messaged, people_replied = c.people_replied + d.answered, people_positive = c.people_positive + d.positive
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held) AS firsts,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL) AS messaged,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND person_answers & 1 > 0) AS answered,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND person_answers & 2 > 0) AS positive
            FROM added GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count - d.queued, dms_sent_count = c.dms_sent_count - d.sent,
        dms_failed_count = c.dms_failed_count - d.failed, dms_replied_count = c.dms_replied_count - d.replied,
        dms_delivered_count = c.dms_delivered_count - d.delivered, firsts_queued_count = c.firsts_queued_count - d.firsts,
        people_messaged = c.people_messaged - d.messaged, people_replied = c.people_replied - d.answered, people_positive = c.people_positive - d.positive
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held) AS firsts,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL) AS messaged,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND person_answers & 1 > 0) AS answered,
              count(*) FILTER (WHERE sent_at IS NOT NULL AND step = 0 AND person_answers & 2 > 0) AS positive
            FROM removed GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSE
    -- Only where a count changed; claiming a message changes none and locks no campaign.
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered, firsts_queued_count = c.firsts_queued_count + d.firsts,
        people_messaged = c.people_messaged + d.messaged, people_replied = c.people_replied + d.answered, people_positive = c.people_positive + d.positive
      FROM (SELECT campaign_id,
              coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) AS queued,
              coalesce(sum(n) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held), 0) AS firsts,
              coalesce(sum(n) FILTER (WHERE status IN ('sent', 'delivered', 'replied')), 0) AS sent,
              coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS failed,
              coalesce(sum(n) FILTER (WHERE status = 'replied'), 0) AS replied,
              coalesce(sum(n) FILTER (WHERE status IN ('delivered', 'replied')), 0) AS delivered,
              coalesce(sum(n) FILTER (WHERE is_first), 0) AS messaged,
              coalesce(sum(n) FILTER (WHERE is_first AND person_answers & 1 > 0), 0) AS answered,
              coalesce(sum(n) FILTER (WHERE is_first AND person_answers & 2 > 0), 0) AS positive
            FROM (SELECT campaign_id, status, is_follow_up, is_held, person_answers,
                    sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AS is_first, 1 AS n FROM added
                  UNION ALL SELECT campaign_id, status, is_follow_up, is_held, person_answers,
                    sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL, -1 FROM removed) changes
            GROUP BY 1) d
      WHERE c.id = d.campaign_id
        AND (d.queued <> 0 OR d.firsts <> 0 OR d.sent <> 0 OR d.failed <> 0 OR d.replied <> 0 OR d.delivered <> 0
          OR d.messaged <> 0 OR d.answered <> 0 OR d.positive <> 0);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- As in 0023_activity.sql, by variant, account and user, with what replies say and how many people they come from.
CREATE OR REPLACE FUNCTION date_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
      SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
        coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
        sum(1 * (sent_at IS NOT NULL)::int) AS sent,
        sum(1 * (status IN ('delivered', 'replied'))::int) AS delivered,
        sum(1 * (status = 'replied')::int) AS replied,
        sum(1 * (status = 'failed')::int) AS failed,
        sum(1 * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
        sum(1 * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
        sum(1 * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
      FROM added WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6
      ORDER BY 2, 3, 4, 5, 6
      ON CONFLICT (campaign_id, slot, variant_id, x_account_id, user_id) DO UPDATE SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied, failed = a.failed + excluded.failed, answered = a.answered + excluded.answered, positive = a.positive + excluded.positive, opted_out = a.opted_out + excluded.opted_out, people = a.people + excluded.people, people_replied = a.people_replied + excluded.people_replied, people_positive = a.people_positive + excluded.people_positive, people_opted_out = a.people_opted_out + excluded.people_opted_out;
  ELSIF TG_OP = 'DELETE' THEN
    -- If the whole campaign is deleted, its activity may be gone already.
    UPDATE dm_activity a SET sent = a.sent - d.sent, delivered = a.delivered - d.delivered, replied = a.replied - d.replied, failed = a.failed - d.failed, answered = a.answered - d.answered, positive = a.positive - d.positive, opted_out = a.opted_out - d.opted_out, people = a.people - d.people, people_replied = a.people_replied - d.people_replied, people_positive = a.people_positive - d.people_positive, people_opted_out = a.people_opted_out - d.people_opted_out
      FROM (
        SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
          coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
          sum(1 * (sent_at IS NOT NULL)::int) AS sent,
          sum(1 * (status IN ('delivered', 'replied'))::int) AS delivered,
          sum(1 * (status = 'replied')::int) AS replied,
          sum(1 * (status = 'failed')::int) AS failed,
          sum(1 * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
          sum(1 * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
          sum(1 * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
          sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
          sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
          sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
          sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
        FROM removed WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6
      ) d
      WHERE a.campaign_id = d.campaign_id AND a.slot = d.slot AND a.variant_id = d.variant_id AND a.x_account_id = d.x_account_id AND a.user_id = d.user_id;
  ELSE
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
      SELECT * FROM (
        SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
          coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
          sum(n * (sent_at IS NOT NULL)::int) AS sent,
          sum(n * (status IN ('delivered', 'replied'))::int) AS delivered,
          sum(n * (status = 'replied')::int) AS replied,
          sum(n * (status = 'failed')::int) AS failed,
          sum(n * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
          sum(n * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
          sum(n * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
        FROM (SELECT workspace_id, campaign_id, user_id, x_account_id, variant_id, enrollment_id, step, status, sent_at, created_at, answers, person_answers, 1 AS n FROM added UNION ALL SELECT workspace_id, campaign_id, user_id, x_account_id, variant_id, enrollment_id, step, status, sent_at, created_at, answers, person_answers, -1 FROM removed) changes WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6
      ) d
      WHERE (d.sent, d.delivered, d.replied, d.failed, d.answered, d.positive, d.opted_out, d.people, d.people_replied, d.people_positive, d.people_opted_out) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      ORDER BY 2, 3, 4, 5, 6
      ON CONFLICT (campaign_id, slot, variant_id, x_account_id, user_id) DO UPDATE SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied, failed = a.failed + excluded.failed, answered = a.answered + excluded.answered, positive = a.positive + excluded.positive, opted_out = a.opted_out + excluded.opted_out, people = a.people + excluded.people, people_replied = a.people_replied + excluded.people_replied, people_positive = a.people_positive + excluded.people_positive, people_opted_out = a.people_opted_out + excluded.people_opted_out;
  END IF;
  RETURN NULL;
END
$$;
