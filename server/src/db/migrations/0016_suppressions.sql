CREATE TABLE "suppression_counts" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"twitter_handle" text NOT NULL,
	"x_user_id" text,
	"reason" text NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "suppression_counts" ADD CONSTRAINT "suppression_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_handle" ON "suppressions" USING btree ("workspace_id","twitter_handle" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "suppressions_x_user" ON "suppressions" USING btree ("workspace_id","x_user_id") WHERE x_user_id is not null;--> statement-breakpoint
CREATE INDEX "suppressions_newest" ON "suppressions" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "suppressions_words" ON "suppressions" USING gin ("workspace_id","twitter_handle" gin_trgm_ops);--> statement-breakpoint
-- The total of a suppression list, kept as all totals are (0002_counts.sql).
CREATE FUNCTION count_suppressions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO suppression_counts AS c (workspace_id, count)
      SELECT workspace_id, count(*) FROM added GROUP BY 1 ORDER BY 1
      ON CONFLICT (workspace_id) DO UPDATE SET count = c.count + excluded.count;
  ELSE
    UPDATE suppression_counts c SET count = c.count - d.n
      FROM (SELECT workspace_id, count(*) AS n FROM removed GROUP BY 1) d WHERE c.workspace_id = d.workspace_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER suppressions_counted_insert AFTER INSERT ON suppressions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();
--> statement-breakpoint
CREATE TRIGGER suppressions_counted_delete AFTER DELETE ON suppressions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();
--> statement-breakpoint
-- Who was suppressed by a handle is known by X's id from the moment a lead of that handle is: a new handle is no way off the list.
CREATE FUNCTION follow_suppressed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE suppressions SET x_user_id = NEW.x_user_id
    WHERE workspace_id = NEW.workspace_id AND twitter_handle = lower(OLD.twitter_handle) AND x_user_id IS NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER leads_followed AFTER UPDATE OF x_user_id, twitter_handle ON leads FOR EACH ROW
  WHEN (NEW.x_user_id IS NOT NULL AND (OLD.x_user_id IS NULL OR OLD.twitter_handle <> NEW.twitter_handle))
  EXECUTE FUNCTION follow_suppressed();
