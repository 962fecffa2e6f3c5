-- Keywords are looked up within one workspace: with its id in the index, a word that thousands of workspaces hold costs no more than its own rows.
CREATE EXTENSION IF NOT EXISTS btree_gin;
--> statement-breakpoint
CREATE INDEX leads_words ON leads USING gin (workspace_id, (coalesce(name, '') || ' ' || twitter_handle || ' ' || coalesce(bio, '')) gin_trgm_ops);
--> statement-breakpoint
-- Scrapes that wait for an X account go on as soon as one is connected, by whatever way it was.
CREATE FUNCTION tell_x_account_connected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('scrapes', 'connected:' || NEW.workspace_id);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER x_accounts_connected AFTER INSERT OR UPDATE OF status ON x_accounts FOR EACH ROW WHEN (NEW.status = 'connected') EXECUTE FUNCTION tell_x_account_connected();
