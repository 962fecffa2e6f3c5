CREATE TABLE "operator_log" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"operator_id" uuid NOT NULL,
	"action" text NOT NULL,
	"member_id" uuid,
	"count" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waitlist_days" (
	"day" date PRIMARY KEY NOT NULL,
	"joined" integer DEFAULT 0 NOT NULL,
	"confirmed" integer DEFAULT 0 NOT NULL,
	"invited" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "operator_log" ADD CONSTRAINT "operator_log_member_id_users_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_log_newest" ON "operator_log" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_to_invite" ON "users" USING btree ("position") WHERE position > 0 and invited_at is null and email is not null and unsubscribed_at is null;--> statement-breakpoint
-- On which UTC days a member counts as joined, confirmed and invited.
CREATE FUNCTION waitlist_days_of(joined_at timestamptz, confirmed_at timestamptz, invited_at timestamptz)
  RETURNS TABLE (day date, joined integer, confirmed integer, invited integer) LANGUAGE sql IMMUTABLE AS $$
  SELECT (joined_at AT TIME ZONE 'UTC')::date, 1, 0, 0 WHERE joined_at IS NOT NULL
  UNION ALL
  SELECT (greatest(joined_at, confirmed_at) AT TIME ZONE 'UTC')::date, 0, 1, 0 WHERE joined_at IS NOT NULL AND confirmed_at IS NOT NULL
  UNION ALL
  SELECT (invited_at AT TIME ZONE 'UTC')::date, 0, 0, 1 WHERE invited_at IS NOT NULL
$$;
--> statement-breakpoint
CREATE FUNCTION count_waitlist_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT d.day, sum(d.joined), sum(d.confirmed), sum(d.invited)
      FROM added a CROSS JOIN LATERAL waitlist_days_of(a.joined_at, a.confirmed_at, a.invited_at) d GROUP BY 1 ORDER BY 1
      ON CONFLICT (day) DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed, invited = w.invited + excluded.invited;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT d.day, -sum(d.joined), -sum(d.confirmed), -sum(d.invited)
      FROM removed r CROSS JOIN LATERAL waitlist_days_of(r.joined_at, r.confirmed_at, r.invited_at) d GROUP BY 1 ORDER BY 1
      ON CONFLICT (day) DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed, invited = w.invited + excluded.invited;
  ELSE
    INSERT INTO waitlist_days AS w (day, joined, confirmed, invited)
      SELECT day, sum(n * joined), sum(n * confirmed), sum(n * invited) FROM (
        SELECT 1 AS n, d.* FROM changed c CROSS JOIN LATERAL waitlist_days_of(c.joined_at, c.confirmed_at, c.invited_at) d
        UNION ALL
        SELECT -1, d.* FROM removed r CROSS JOIN LATERAL waitlist_days_of(r.joined_at, r.confirmed_at, r.invited_at) d
      ) changes GROUP BY 1 HAVING sum(n * joined) <> 0 OR sum(n * confirmed) <> 0 OR sum(n * invited) <> 0 ORDER BY 1
      ON CONFLICT (day) DO UPDATE SET joined = w.joined + excluded.joined, confirmed = w.confirmed + excluded.confirmed, invited = w.invited + excluded.invited;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER users_days_insert AFTER INSERT ON users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_waitlist_days();
--> statement-breakpoint
CREATE TRIGGER users_days_delete AFTER DELETE ON users REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_waitlist_days();
--> statement-breakpoint
CREATE TRIGGER users_days_update AFTER UPDATE ON users REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_waitlist_days();
--> statement-breakpoint
INSERT INTO waitlist_days (day, joined, confirmed, invited)
  SELECT d.day, sum(d.joined), sum(d.confirmed), sum(d.invited)
  FROM users u CROSS JOIN LATERAL waitlist_days_of(u.joined_at, u.confirmed_at, u.invited_at) d GROUP BY 1;
