ALTER TABLE "api_keys" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
-- Notifies the owners of a workspace by their preferences, with an event for their streams.
CREATE FUNCTION notify_owners(workspace uuid, notification_kind text, notification_facts jsonb) RETURNS void LANGUAGE sql AS $$
  WITH added AS (
    INSERT INTO notifications (workspace_id, user_id, kind, facts, in_app, email)
      SELECT m.workspace_id, m.user_id, notification_kind, jsonb_strip_nulls(notification_facts), coalesce(p.in_app, true), coalesce(p.email, true)
      FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
        LEFT JOIN notification_preferences p ON p.user_id = m.user_id AND p.kind = notification_kind
      WHERE m.workspace_id = workspace AND m.role = 'owner' AND (coalesce(p.in_app, true) OR coalesce(p.email, true))
      ORDER BY m.user_id
    RETURNING id, user_id
  )
  SELECT pg_notify('events', concat_ws(' ', workspace, 'notification', id, user_id)) FROM added;
  SELECT pg_notify('member-notifications', '');
$$;
--> statement-breakpoint
-- An API key works only while its creator is an admin.
CREATE FUNCTION suspend_api_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  suspended jsonb;
BEGIN
  WITH changed AS (
    UPDATE api_keys SET suspended_at = now()
      WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id AND suspended_at IS NULL RETURNING name
  )
  SELECT jsonb_build_object('keys', count(*), 'keyName', min(name), 'personId', OLD.user_id) INTO suspended
    FROM changed HAVING count(*) > 0;
  IF suspended IS NOT NULL THEN
    PERFORM notify_owners(OLD.workspace_id, 'api_key_suspended', suspended);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER workspace_members_demoted AFTER UPDATE OF role ON workspace_members FOR EACH ROW
  WHEN (NEW.role NOT IN ('owner', 'admin')) EXECUTE FUNCTION suspend_api_keys();--> statement-breakpoint
CREATE TRIGGER workspace_members_removed AFTER DELETE ON workspace_members FOR EACH ROW
  EXECUTE FUNCTION suspend_api_keys();--> statement-breakpoint
-- Keys without an admin until now get two weeks, so that their programs need not fail.
WITH orphaned AS (
  UPDATE api_keys k SET suspended_at = now() + interval '14 days'
    WHERE suspended_at IS NULL AND NOT EXISTS (SELECT FROM workspace_members m
      WHERE m.workspace_id = k.workspace_id AND m.user_id = k.created_by AND m.role IN ('owner', 'admin'))
    RETURNING k.workspace_id, k.name, k.suspended_at
)
SELECT notify_owners(workspace_id, 'api_key_suspended', jsonb_build_object(
    'keys', count(*), 'keyName', min(name), 'until', to_char(min(suspended_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
  FROM orphaned GROUP BY workspace_id;
