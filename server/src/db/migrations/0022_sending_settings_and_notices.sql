CREATE TABLE "notice_preferences" (
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"in_app" boolean DEFAULT true NOT NULL,
	"mail" boolean DEFAULT true NOT NULL,
	CONSTRAINT "notice_preferences_user_id_kind_pk" PRIMARY KEY("user_id","kind")
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"facts" jsonb NOT NULL,
	"in_app" boolean NOT NULL,
	"mail" boolean NOT NULL,
	"mailed_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sending_paces" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"x_account_id" uuid,
	"time_zone" text NOT NULL,
	"work_days" smallint[] NOT NULL,
	"start_minute" integer,
	"end_minute" integer,
	"daily_cap" integer,
	"warm_up" boolean NOT NULL,
	"warm_up_since" timestamp (3) with time zone,
	"pause_seconds" integer,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sending_paces_account" UNIQUE NULLS NOT DISTINCT("workspace_id","x_account_id"),
	CONSTRAINT "sending_paces_hours" CHECK ((start_minute is null) = (end_minute is null) and start_minute between 0 and 1439 and end_minute between 0 and 1439 and start_minute <> end_minute
        or start_minute is null and end_minute is null),
	CONSTRAINT "sending_paces_days" CHECK (cardinality(work_days) > 0 and work_days <@ array[1, 2, 3, 4, 5, 6, 7]::smallint[]),
	CONSTRAINT "sending_paces_limits" CHECK (daily_cap > 0 and pause_seconds >= 0)
);
--> statement-breakpoint
CREATE TABLE "sending_settings" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"basis_required" boolean NOT NULL,
	"basis_lifted_by" uuid,
	"basis_lifted_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "rests_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "notice_preferences" ADD CONSTRAINT "notice_preferences_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sending_paces" ADD CONSTRAINT "sending_paces_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sending_paces" ADD CONSTRAINT "sending_paces_x_account_id_x_accounts_id_fk" FOREIGN KEY ("x_account_id") REFERENCES "public"."x_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sending_settings" ADD CONSTRAINT "sending_settings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sending_settings" ADD CONSTRAINT "sending_settings_basis_lifted_by_auth_users_id_fk" FOREIGN KEY ("basis_lifted_by") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notices_newest" ON "notices" USING btree ("user_id","workspace_id","created_at","id") WHERE in_app;--> statement-breakpoint
CREATE INDEX "notices_unread" ON "notices" USING btree ("user_id","workspace_id") WHERE in_app and read_at is null;--> statement-breakpoint
CREATE INDEX "notices_to_mail" ON "notices" USING btree ("created_at") WHERE mail and mailed_at is null;--> statement-breakpoint
CREATE INDEX "notices_old" ON "notices" USING btree ("created_at");--> statement-breakpoint
-- Whoever changes the pace of an account has senders look at it anew, if it has anything to send.
CREATE FUNCTION look_at_pace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE x_accounts SET next_send_at = now() WHERE id = NEW.x_account_id AND next_send_at IS NOT NULL;
  PERFORM pg_notify('sending', '');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sending_paces_changed AFTER INSERT OR UPDATE ON sending_paces FOR EACH ROW EXECUTE FUNCTION look_at_pace();
--> statement-breakpoint
-- A notice for each member of the workspace who wants one, shown or mailed, in the transaction of what it tells.
CREATE FUNCTION tell_members(workspace uuid, notice_kind text, notice_facts jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notices (workspace_id, user_id, kind, facts, in_app, mail)
    SELECT m.workspace_id, m.user_id, notice_kind, jsonb_strip_nulls(notice_facts), coalesce(p.in_app, true), coalesce(p.mail, true)
    FROM workspace_members m LEFT JOIN notice_preferences p ON p.user_id = m.user_id AND p.kind = notice_kind
    WHERE m.workspace_id = workspace AND (coalesce(p.in_app, true) OR coalesce(p.mail, true))
    ORDER BY m.user_id;
  SELECT pg_notify('member-notices', '');
$$;
--> statement-breakpoint
CREATE FUNCTION tell_of_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_members(NEW.workspace_id, 'campaign_' || NEW.status, jsonb_build_object(
    'campaignId', NEW.id, 'campaignName', NEW.name, 'reason', NEW.pause_reason, 'sent', NEW.dms_sent_count, 'failed', NEW.dms_failed_count));
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- A pause without a reason is a person's.
CREATE TRIGGER campaigns_told AFTER UPDATE OF status ON campaigns FOR EACH ROW
  WHEN (NEW.kind = 'campaign' AND OLD.status IS DISTINCT FROM NEW.status
    AND (NEW.status = 'completed' OR (NEW.status = 'paused' AND NEW.pause_reason IS NOT NULL)))
  EXECUTE FUNCTION tell_of_campaign();
--> statement-breakpoint
CREATE FUNCTION tell_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_members(NEW.workspace_id, 'x_disconnected', jsonb_build_object('handle', NEW.handle, 'reason', NEW.reason));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER x_accounts_told AFTER UPDATE OF status ON x_accounts FOR EACH ROW
  WHEN (OLD.status = 'connected' AND NEW.status = 'lost')
  EXECUTE FUNCTION tell_of_account();
