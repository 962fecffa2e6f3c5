CREATE TABLE "event_counters" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"last_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_streams" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"user_id" uuid NOT NULL,
	"worker_id" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "event_streams_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_events" (
	"workspace_id" uuid NOT NULL,
	"id" bigint NOT NULL,
	"kind" text NOT NULL,
	"ids" text[] NOT NULL,
	"recipient_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "workspace_events_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "event_counters" ADD CONSTRAINT "event_counters_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_streams" ADD CONSTRAINT "event_streams_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_streams" ADD CONSTRAINT "event_streams_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_events" ADD CONSTRAINT "workspace_events_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_streams_user" ON "event_streams" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "workspace_events_old" ON "workspace_events" USING btree ("created_at");--> statement-breakpoint
-- Also announces each notification to its person's event streams.
CREATE OR REPLACE FUNCTION notify_members(workspace uuid, notification_kind text, notification_facts jsonb) RETURNS void LANGUAGE sql AS $$
  WITH added AS (
    INSERT INTO notifications (workspace_id, user_id, kind, facts, in_app, email)
      SELECT m.workspace_id, m.user_id, notification_kind, jsonb_strip_nulls(notification_facts), coalesce(p.in_app, true), coalesce(p.email, true)
      FROM workspace_members m LEFT JOIN notification_preferences p ON p.user_id = m.user_id AND p.kind = notification_kind
      WHERE m.workspace_id = workspace AND (coalesce(p.in_app, true) OR coalesce(p.email, true))
      ORDER BY m.user_id
    RETURNING id, user_id
  )
  SELECT pg_notify('events', concat_ws(' ', workspace, 'notification', id, user_id)) FROM added;
  SELECT pg_notify('member-notifications', '');
$$;
