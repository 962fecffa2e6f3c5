ALTER TABLE "dm_activity" ADD COLUMN "skipped" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE dm_activity a SET skipped = d.skipped
FROM (
  SELECT campaign_id, activity_slot(created_at) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id, coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id,
    coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id, count(*) AS skipped
  FROM dms WHERE status = 'failed' AND reason IS NOT NULL GROUP BY 1, 2, 3, 4, 5
) d
WHERE a.campaign_id = d.campaign_id AND a.slot = d.slot AND a.variant_id = d.variant_id AND a.x_account_id = d.x_account_id AND a.user_id = d.user_id;
--> statement-breakpoint
-- As in 0051_people.sql, with the failed messages that were skipped.
CREATE OR REPLACE FUNCTION date_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, skipped, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
      SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
        coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
        sum(1 * (sent_at IS NOT NULL)::int) AS sent,
        sum(1 * (status IN ('delivered', 'replied'))::int) AS delivered,
        sum(1 * (status = 'replied')::int) AS replied,
        sum(1 * (status = 'failed')::int) AS failed,
        sum(1 * (status = 'failed' AND reason IS NOT NULL)::int) AS skipped,
        sum(1 * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
        sum(1 * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
        sum(1 * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
        sum(1 * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
      FROM added WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6
      ORDER BY 2, 3, 4, 5, 6
      ON CONFLICT (campaign_id, slot, variant_id, x_account_id, user_id) DO UPDATE SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied, failed = a.failed + excluded.failed, skipped = a.skipped + excluded.skipped, answered = a.answered + excluded.answered, positive = a.positive + excluded.positive, opted_out = a.opted_out + excluded.opted_out, people = a.people + excluded.people, people_replied = a.people_replied + excluded.people_replied, people_positive = a.people_positive + excluded.people_positive, people_opted_out = a.people_opted_out + excluded.people_opted_out;
  ELSIF TG_OP = 'DELETE' THEN
    -- If the whole campaign is deleted, its activity may be gone already.
    UPDATE dm_activity a SET sent = a.sent - d.sent, delivered = a.delivered - d.delivered, replied = a.replied - d.replied, failed = a.failed - d.failed, skipped = a.skipped - d.skipped, answered = a.answered - d.answered, positive = a.positive - d.positive, opted_out = a.opted_out - d.opted_out, people = a.people - d.people, people_replied = a.people_replied - d.people_replied, people_positive = a.people_positive - d.people_positive, people_opted_out = a.people_opted_out - d.people_opted_out
      FROM (
        SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
          coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
          sum(1 * (sent_at IS NOT NULL)::int) AS sent,
          sum(1 * (status IN ('delivered', 'replied'))::int) AS delivered,
          sum(1 * (status = 'replied')::int) AS replied,
          sum(1 * (status = 'failed')::int) AS failed,
        sum(1 * (status = 'failed' AND reason IS NOT NULL)::int) AS skipped,
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
    INSERT INTO dm_activity AS a (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, skipped, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
      SELECT * FROM (
        SELECT workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) AS slot, coalesce(variant_id, '00000000-0000-0000-0000-000000000000') AS variant_id,
          coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') AS x_account_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000') AS user_id,
          sum(n * (sent_at IS NOT NULL)::int) AS sent,
          sum(n * (status IN ('delivered', 'replied'))::int) AS delivered,
          sum(n * (status = 'replied')::int) AS replied,
          sum(n * (status = 'failed')::int) AS failed,
          sum(n * (status = 'failed' AND reason IS NOT NULL)::int) AS skipped,
          sum(n * (sent_at IS NOT NULL AND answers & 1 > 0)::int) AS answered,
          sum(n * (sent_at IS NOT NULL AND answers & 2 > 0)::int) AS positive,
          sum(n * (sent_at IS NOT NULL AND answers & 4 > 0)::int) AS opted_out,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL)::int) AS people,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 1 > 0)::int) AS people_replied,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 2 > 0)::int) AS people_positive,
          sum(n * (sent_at IS NOT NULL AND step = 0 AND enrollment_id IS NOT NULL AND person_answers & 4 > 0)::int) AS people_opted_out
        FROM (SELECT workspace_id, campaign_id, user_id, x_account_id, variant_id, enrollment_id, step, status, reason, sent_at, created_at, answers, person_answers, 1 AS n FROM added UNION ALL SELECT workspace_id, campaign_id, user_id, x_account_id, variant_id, enrollment_id, step, status, reason, sent_at, created_at, answers, person_answers, -1 FROM removed) changes WHERE sent_at IS NOT NULL OR status = 'failed' GROUP BY 1, 2, 3, 4, 5, 6
      ) d
      WHERE (d.sent, d.delivered, d.replied, d.failed, d.skipped, d.answered, d.positive, d.opted_out, d.people, d.people_replied, d.people_positive, d.people_opted_out) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      ORDER BY 2, 3, 4, 5, 6
      ON CONFLICT (campaign_id, slot, variant_id, x_account_id, user_id) DO UPDATE SET sent = a.sent + excluded.sent, delivered = a.delivered + excluded.delivered, replied = a.replied + excluded.replied, failed = a.failed + excluded.failed, skipped = a.skipped + excluded.skipped, answered = a.answered + excluded.answered, positive = a.positive + excluded.positive, opted_out = a.opted_out + excluded.opted_out, people = a.people + excluded.people, people_replied = a.people_replied + excluded.people_replied, people_positive = a.people_positive + excluded.people_positive, people_opted_out = a.people_opted_out + excluded.people_opted_out;
  END IF;
  RETURN NULL;
END
$$;
