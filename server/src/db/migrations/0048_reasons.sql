DROP INDEX "campaigns_stopped";--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "reason" jsonb;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "reason" jsonb;--> statement-breakpoint
CREATE INDEX "campaigns_stopped" ON "campaigns" USING btree ("x_account_id") WHERE status = 'paused' and reason is not null;--> statement-breakpoint
CREATE OR REPLACE FUNCTION notify_of_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_members(NEW.workspace_id, 'campaign_' || NEW.status, jsonb_build_object(
    'campaignId', NEW.id, 'campaignName', NEW.name, 'pause', NEW.reason, 'reason', NEW.pause_reason,
    'sent', NEW.dms_sent_count, 'failed', NEW.dms_failed_count));
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER campaigns_notify ON campaigns;--> statement-breakpoint
-- A pause without a reason was made by a person.
CREATE TRIGGER campaigns_notify AFTER UPDATE OF status ON campaigns FOR EACH ROW
  WHEN (NEW.kind = 'campaign' AND OLD.status IS DISTINCT FROM NEW.status
    AND (NEW.status = 'completed' OR (NEW.status = 'paused' AND NEW.reason IS NOT NULL)))
  EXECUTE FUNCTION notify_of_campaign();
--> statement-breakpoint
-- Stored sentences become codes. Sentences that no version has written stay as they are.
UPDATE dms SET reason = known.reason, error_message = NULL
FROM dms old CROSS JOIN LATERAL (SELECT CASE
  WHEN old.error_message = 'Skipped: this person has opted out.'
    THEN '{"code":"suppressed","params":{"reason":"opted_out"}}'::jsonb
  WHEN old.error_message = 'Skipped: this person asked you to stop.'
    THEN '{"code":"suppressed","params":{"reason":"replied_stop"}}'
  WHEN old.error_message = 'Skipped: this person is on your suppression list.'
    THEN '{"code":"suppressed","params":{"reason":"manual"}}'
  WHEN old.error_message = 'Skipped: this person has replied.'
    THEN '{"code":"replied","params":{}}'
  WHEN old.error_message = 'Skipped: you have written to this person yourself.'
    THEN '{"code":"written_by_hand","params":{}}'
  WHEN old.error_message = 'Skipped: this lead has no contact basis. Say on the leads page how you know that they want to hear from you.'
    THEN '{"code":"no_basis","params":{}}'
  WHEN old.error_message = 'Skipped: this person is among your leads twice and is written to already.'
    THEN '{"code":"duplicate","params":{}}'
  WHEN old.error_message = 'Skipped: Lead data or Twitter handle missing during processing.'
    THEN '{"code":"lead_missing","params":{}}'
  WHEN old.error_message = 'Skipped: a message has gone to this person already, before their lead was deleted and came in again.'
    THEN '{"code":"contacted","params":{"how":"earlier_lead"}}'
  WHEN old.error_message = 'Skipped: a message has gone to this person already, after the backup that was restored.'
    THEN '{"code":"contacted","params":{"how":"backup"}}'
  WHEN old.error_message = 'Skipped: a message has gone to this person already.'
    THEN '{"code":"contacted","params":{"how":"x_user"}}'
  WHEN old.error_message = 'Skipped: a direct message has gone to this lead already.'
    THEN '{"code":"contacted","params":{"how":"direct"}}'
  WHEN old.error_message = 'Skipped: a direct message is queued for this lead already.'
    THEN '{"code":"queued_elsewhere","params":{"how":"direct"}}'
  WHEN old.error_message LIKE 'Skipped: the campaign “%” has gone to this lead already.'
    THEN jsonb_build_object('code', 'contacted', 'params', jsonb_build_object('how', 'campaign',
      'campaign', substring(old.error_message from '^Skipped: the campaign “(.*)” has gone to this lead already\.$')))
  WHEN old.error_message LIKE 'Skipped: the campaign “%” is queued for this lead already.'
    THEN jsonb_build_object('code', 'queued_elsewhere', 'params', jsonb_build_object('how', 'campaign',
      'campaign', substring(old.error_message from '^Skipped: the campaign “(.*)” is queued for this lead already\.$')))
  END AS reason) known
WHERE dms.id = old.id AND old.error_message LIKE 'Skipped: %' AND known.reason IS NOT NULL;
--> statement-breakpoint
UPDATE campaigns SET pause_reason = NULL, reason = jsonb_build_object('code', 'restored', 'params', jsonb_build_object(
  'backedUpAt', to_char(to_timestamp(found.at[1] || ' ' || found.at[2] || ' +00', 'DD Month YYYY HH24:MI TZH') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'isReadable', old.pause_reason LIKE '% first reads from X what was sent since%'))
FROM campaigns old CROSS JOIN LATERAL (
  SELECT regexp_match(old.pause_reason, '^Restored from the backup of (\d+ [A-Z][a-z]+ \d+)(?: at|,) (\d+:\d+) UTC\.') AS at) found
WHERE campaigns.id = old.id AND found.at IS NOT NULL;
--> statement-breakpoint
UPDATE campaigns SET pause_reason = NULL, reason = '{"code":"x_disconnected","params":{}}'
WHERE pause_reason IN ('X has ended this connection. Connect again.', 'X does not accept this connection any more. Connect the account again.');
--> statement-breakpoint
-- All other pauses keep what X said.
UPDATE campaigns SET reason = jsonb_build_object('code',
  CASE WHEN pause_reason LIKE 'X does not allow it: %' THEN 'refusals' ELSE 'x_locked' END, 'params', '{}'::jsonb)
WHERE pause_reason IS NOT NULL;
