ALTER TABLE "notices" RENAME TO "notifications";--> statement-breakpoint
ALTER TABLE "notifications" RENAME COLUMN "mail" TO "email";--> statement-breakpoint
ALTER TABLE "notifications" RENAME COLUMN "mailed_at" TO "emailed_at";--> statement-breakpoint
ALTER TABLE "notifications" RENAME CONSTRAINT "notices_pkey" TO "notifications_pkey";--> statement-breakpoint
ALTER TABLE "notifications" RENAME CONSTRAINT "notices_workspace_id_workspaces_id_fk" TO "notifications_workspace_id_workspaces_id_fk";--> statement-breakpoint
ALTER TABLE "notifications" RENAME CONSTRAINT "notices_user_id_auth_users_id_fk" TO "notifications_user_id_auth_users_id_fk";--> statement-breakpoint
ALTER INDEX "notices_newest" RENAME TO "notifications_newest";--> statement-breakpoint
ALTER INDEX "notices_unread" RENAME TO "notifications_unread";--> statement-breakpoint
ALTER INDEX "notices_to_mail" RENAME TO "notifications_to_email";--> statement-breakpoint
ALTER INDEX "notices_old" RENAME TO "notifications_old";--> statement-breakpoint
ALTER TABLE "notice_preferences" RENAME TO "notification_preferences";--> statement-breakpoint
ALTER TABLE "notification_preferences" RENAME COLUMN "mail" TO "email";--> statement-breakpoint
ALTER TABLE "notification_preferences" RENAME CONSTRAINT "notice_preferences_user_id_kind_pk" TO "notification_preferences_user_id_kind_pk";--> statement-breakpoint
ALTER TABLE "notification_preferences" RENAME CONSTRAINT "notice_preferences_user_id_auth_users_id_fk" TO "notification_preferences_user_id_auth_users_id_fk";--> statement-breakpoint
ALTER TABLE "sending_paces" RENAME TO "sending_limits";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_pkey" TO "sending_limits_pkey";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_account" TO "sending_limits_account";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_hours" TO "sending_limits_hours";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_days" TO "sending_limits_days";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_limits" TO "sending_limits_bounds";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_workspace_id_workspaces_id_fk" TO "sending_limits_workspace_id_workspaces_id_fk";--> statement-breakpoint
ALTER TABLE "sending_limits" RENAME CONSTRAINT "sending_paces_x_account_id_x_accounts_id_fk" TO "sending_limits_x_account_id_x_accounts_id_fk";--> statement-breakpoint
ALTER TRIGGER sending_paces_changed ON "sending_limits" RENAME TO sending_limits_changed;--> statement-breakpoint
ALTER FUNCTION look_at_pace() RENAME TO apply_sending_limits;--> statement-breakpoint
ALTER TABLE "extension_pairings" RENAME COLUMN "sends_alone" TO "sends_in_background";--> statement-breakpoint
-- Inserts a notification for each member who wants one, in the transaction of the change it reports.
CREATE FUNCTION notify_members(workspace uuid, notification_kind text, notification_facts jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notifications (workspace_id, user_id, kind, facts, in_app, email)
    SELECT m.workspace_id, m.user_id, notification_kind, jsonb_strip_nulls(notification_facts), coalesce(p.in_app, true), coalesce(p.email, true)
    FROM workspace_members m LEFT JOIN notification_preferences p ON p.user_id = m.user_id AND p.kind = notification_kind
    WHERE m.workspace_id = workspace AND (coalesce(p.in_app, true) OR coalesce(p.email, true))
    ORDER BY m.user_id;
  SELECT pg_notify('member-notifications', '');
$$;
--> statement-breakpoint
ALTER FUNCTION tell_of_campaign() RENAME TO notify_of_campaign;--> statement-breakpoint
CREATE OR REPLACE FUNCTION notify_of_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_members(NEW.workspace_id, 'campaign_' || NEW.status, jsonb_build_object(
    'campaignId', NEW.id, 'campaignName', NEW.name, 'reason', NEW.pause_reason, 'sent', NEW.dms_sent_count, 'failed', NEW.dms_failed_count));
  RETURN NULL;
END
$$;
--> statement-breakpoint
ALTER TRIGGER campaigns_told ON campaigns RENAME TO campaigns_notify;--> statement-breakpoint
ALTER FUNCTION tell_of_account() RENAME TO notify_of_account;--> statement-breakpoint
CREATE OR REPLACE FUNCTION notify_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_members(NEW.workspace_id, 'x_disconnected', jsonb_build_object('handle', NEW.handle, 'reason', NEW.reason));
  RETURN NULL;
END
$$;
--> statement-breakpoint
ALTER TRIGGER x_accounts_told ON x_accounts RENAME TO x_accounts_notify;--> statement-breakpoint
DROP FUNCTION tell_members(uuid, text, jsonb);
