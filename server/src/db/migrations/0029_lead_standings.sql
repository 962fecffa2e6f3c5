CREATE TABLE "lead_standings" (
	"workspace_id" uuid NOT NULL,
	"standing" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"lead_id" uuid NOT NULL,
	CONSTRAINT "lead_standings_workspace_id_standing_created_at_lead_id_pk" PRIMARY KEY("workspace_id","standing","created_at","lead_id")
);
--> statement-breakpoint
DROP INDEX "leads_status";
--> statement-breakpoint
-- Rows stay on their page where only their status changes: half of each page is kept free for that (docs/decisions/0019). Pages that are full already stay so.
ALTER TABLE leads SET (fillfactor = 50);
--> statement-breakpoint
-- What the status filter calls a status.
CREATE FUNCTION standing_of(dm_status text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE dm_status WHEN 'contacted' THEN 'sent' WHEN 'failed_contact' THEN 'failed' ELSE dm_status END
$$;
--> statement-breakpoint
INSERT INTO lead_standings (workspace_id, standing, created_at, lead_id)
  SELECT workspace_id, standing_of(dm_status), created_at, id FROM leads ORDER BY 1, 2, 3, 4;
--> statement-breakpoint
-- Statement-level, like the counts (0002_counts.sql). Planned at each call: one may be about one lead, and the next about 100,000.
CREATE FUNCTION keep_standings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO lead_standings (workspace_id, standing, created_at, lead_id)
      SELECT workspace_id, standing_of(dm_status), created_at, id FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    EXECUTE 'DELETE FROM lead_standings s USING removed r
      WHERE s.workspace_id = r.workspace_id AND s.standing = standing_of(r.dm_status) AND s.created_at = r.created_at AND s.lead_id = r.id';
  ELSE
    EXECUTE 'UPDATE lead_standings s SET standing = standing_of(a.dm_status), created_at = a.created_at
      FROM removed r JOIN added a ON a.id = r.id
      WHERE (standing_of(a.dm_status) <> standing_of(r.dm_status) OR a.created_at <> r.created_at)
        AND s.workspace_id = r.workspace_id AND s.standing = standing_of(r.dm_status) AND s.created_at = r.created_at AND s.lead_id = r.id';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER leads_standing_insert AFTER INSERT ON leads REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_standings();
--> statement-breakpoint
CREATE TRIGGER leads_standing_delete AFTER DELETE ON leads REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_standings();
--> statement-breakpoint
CREATE TRIGGER leads_standing_update AFTER UPDATE ON leads REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_standings();
