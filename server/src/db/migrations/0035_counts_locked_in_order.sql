-- Whoever changes the counts of several tags, or of several scrapes, locks them in the order of their ids first (db/transact.ts):
-- an update takes its rows in whatever order it is planned.
CREATE OR REPLACE FUNCTION count_lead_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM FROM tags WHERE id IN (SELECT tag_id FROM added) ORDER BY id FOR NO KEY UPDATE;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM FROM tags WHERE id IN (SELECT tag_id FROM removed) ORDER BY id FOR NO KEY UPDATE;
  ELSE
    PERFORM FROM tags WHERE id IN (SELECT tag_id FROM added UNION SELECT tag_id FROM removed) ORDER BY id FOR NO KEY UPDATE;
  END IF;
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
CREATE OR REPLACE FUNCTION count_scrape_leads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO scrape_counts AS c (scrape_id, count)
      SELECT scrape_id, count(*) FROM added GROUP BY 1 ORDER BY 1
      ON CONFLICT (scrape_id) DO UPDATE SET count = c.count + excluded.count;
  ELSE
    PERFORM FROM scrape_counts WHERE scrape_id IN (SELECT scrape_id FROM removed) ORDER BY scrape_id FOR NO KEY UPDATE;
    UPDATE scrape_counts c SET count = c.count - d.n
      FROM (SELECT scrape_id, count(*) AS n FROM removed GROUP BY 1) d WHERE c.scrape_id = d.scrape_id;
  END IF;
  RETURN NULL;
END
$$;
