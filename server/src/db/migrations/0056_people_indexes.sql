DROP INDEX "dms_variants";--> statement-breakpoint
DROP INDEX "enrollments_due";--> statement-breakpoint
CREATE INDEX "dms_variants" ON "dms" USING btree ("campaign_id","variant_id","sent_at","id","enrollment_id") WHERE sent_at is not null;--> statement-breakpoint
CREATE INDEX "enrollments_due" ON "enrollments" USING btree ("workspace_id","campaign_id","next_at","id","next_step_number") WHERE next_at is not null;
--> statement-breakpoint
-- As in 0029_lead_standings.sql, but a claim, which changes no status, plans no update.
CREATE OR REPLACE FUNCTION keep_standings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO lead_standings (workspace_id, standing, created_at, lead_id)
      SELECT workspace_id, standing_of(dm_status), created_at, id FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    EXECUTE 'DELETE FROM lead_standings s USING removed r
      WHERE s.workspace_id = r.workspace_id AND s.standing = standing_of(r.dm_status) AND s.created_at = r.created_at AND s.lead_id = r.id';
  ELSIF EXISTS (SELECT id, dm_status, created_at FROM added EXCEPT SELECT id, dm_status, created_at FROM removed) THEN
    EXECUTE 'UPDATE lead_standings s SET standing = standing_of(a.dm_status), created_at = a.created_at
      FROM removed r JOIN added a ON a.id = r.id
      WHERE (standing_of(a.dm_status) <> standing_of(r.dm_status) OR a.created_at <> r.created_at)
        AND s.workspace_id = r.workspace_id AND s.standing = standing_of(r.dm_status) AND s.created_at = r.created_at AND s.lead_id = r.id';
  END IF;
  RETURN NULL;
END
$$;
