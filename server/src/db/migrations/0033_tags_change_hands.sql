-- A tag that becomes part of another hands its leads over: their rows change, and both counts with them (0014_lead_tags_and_bases.sql).
CREATE OR REPLACE FUNCTION count_lead_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE tags t SET lead_count = t.lead_count + d.n
      FROM (SELECT tag_id, count(*) AS n FROM added GROUP BY 1) d WHERE t.id = d.tag_id;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE tags t SET lead_count = t.lead_count - d.n
      FROM (SELECT tag_id, count(*) AS n FROM removed GROUP BY 1) d WHERE t.id = d.tag_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER lead_tags_counted_update AFTER UPDATE ON lead_tags REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_lead_tags();
