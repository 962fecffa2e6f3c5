-- Processes of the version before may be writing: whoever does is waited for, and nobody begins between the count and its triggers.
-- Scrapes first, as a scrape's writes lock them.
LOCK TABLE scrapes IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
LOCK TABLE scrape_leads IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "scrape_counts" (
	"scrape_id" uuid PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "cut_reads" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "billed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "scrape_counts" ADD CONSTRAINT "scrape_counts_scrape_id_scrapes_id_fk" FOREIGN KEY ("scrape_id") REFERENCES "public"."scrapes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
UPDATE scrapes SET billed = fetched;
--> statement-breakpoint
-- How many leads of a scrape there are, kept as all totals are (0002_counts.sql).
INSERT INTO scrape_counts (scrape_id, count) SELECT scrape_id, count(*) FROM scrape_leads GROUP BY 1;
--> statement-breakpoint
CREATE FUNCTION count_scrape_leads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO scrape_counts AS c (scrape_id, count)
      SELECT scrape_id, count(*) FROM added GROUP BY 1 ORDER BY 1
      ON CONFLICT (scrape_id) DO UPDATE SET count = c.count + excluded.count;
  ELSE
    UPDATE scrape_counts c SET count = c.count - d.n
      FROM (SELECT scrape_id, count(*) AS n FROM removed GROUP BY 1) d WHERE c.scrape_id = d.scrape_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER scrape_leads_counted_insert AFTER INSERT ON scrape_leads REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_scrape_leads();
--> statement-breakpoint
CREATE TRIGGER scrape_leads_counted_delete AFTER DELETE ON scrape_leads REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_scrape_leads();
