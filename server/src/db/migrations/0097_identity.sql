DROP INDEX "suppressions_handle";--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "warnings" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "warning_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "x_user_checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "handle_lost_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "former_handles" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "suppressions" ADD COLUMN "x_user_checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "suppressions" ADD COLUMN "handle_lost_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "handle_read_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "leads_handle_lost" ON "leads" USING btree ("workspace_id","id") WHERE handle_lost_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_handle" ON "suppressions" USING btree ("workspace_id","twitter_handle" text_pattern_ops,(case when handle_lost_at is null then '' else x_user_id end));--> statement-breakpoint
-- A suppression follows the person: when X first shows an id with a handle, entries of the handle get the id. When X shows
-- the person with another handle, their entries get it.
CREATE OR REPLACE FUNCTION follow_suppressed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_handle text := lower(OLD.twitter_handle);
  new_handle text := lower(NEW.twitter_handle);
BEGIN
  IF OLD.handle_lost_at IS NULL THEN
    UPDATE suppressions SET x_user_id = NEW.x_user_id, x_user_checked_at = now()
      WHERE workspace_id = NEW.workspace_id AND twitter_handle = old_handle AND handle_lost_at IS NULL AND x_user_checked_at IS NULL
        AND (x_user_id IS NULL OR x_user_id = NEW.x_user_id);
  END IF;
  IF old_handle = new_handle THEN RETURN NULL; END IF;
  IF OLD.handle_lost_at IS NULL THEN
    -- An entry of the handle that claims another id may mean either person.
    INSERT INTO suppressions (workspace_id, user_id, twitter_handle, x_user_id, x_user_checked_at, handle_lost_at, reason, note)
      SELECT workspace_id, user_id, twitter_handle, NEW.x_user_id, now(), now(), reason, note FROM suppressions
      WHERE workspace_id = NEW.workspace_id AND twitter_handle = old_handle AND handle_lost_at IS NULL
        AND x_user_id <> NEW.x_user_id AND x_user_checked_at IS NULL AND NOT EXISTS (
          SELECT FROM suppressions o WHERE o.workspace_id = NEW.workspace_id AND o.x_user_id = NEW.x_user_id)
      ON CONFLICT DO NOTHING;
  END IF;
  BEGIN
    UPDATE suppressions SET handle_lost_at = now()
      WHERE workspace_id = NEW.workspace_id AND x_user_id = NEW.x_user_id AND x_user_checked_at IS NOT NULL
        AND twitter_handle <> new_handle AND handle_lost_at IS NULL;
    UPDATE suppressions SET twitter_handle = new_handle, handle_lost_at = NULL WHERE id = (
        SELECT id FROM suppressions WHERE workspace_id = NEW.workspace_id AND x_user_id = NEW.x_user_id AND x_user_checked_at IS NOT NULL
          AND handle_lost_at IS NOT NULL ORDER BY twitter_handle <> new_handle, created_at, id LIMIT 1)
      AND NOT EXISTS (
        SELECT FROM suppressions WHERE workspace_id = NEW.workspace_id AND twitter_handle = new_handle AND handle_lost_at IS NULL);
  EXCEPTION WHEN unique_violation THEN NULL; -- Someone suppresses the handle at this moment. Their id is suppressed in any case.
  END;
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER leads_followed ON leads;
--> statement-breakpoint
CREATE TRIGGER leads_followed AFTER UPDATE OF x_user_id, x_user_checked_at, twitter_handle ON leads FOR EACH ROW
  WHEN (NEW.x_user_id IS NOT NULL AND NEW.x_user_checked_at IS NOT NULL AND (
    OLD.x_user_checked_at IS NULL OR OLD.x_user_id IS DISTINCT FROM NEW.x_user_id OR OLD.twitter_handle <> NEW.twitter_handle))
  EXECUTE FUNCTION follow_suppressed();
