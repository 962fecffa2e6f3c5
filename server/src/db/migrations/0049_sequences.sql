CREATE TABLE "enrollments" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"version" integer NOT NULL,
	"x_account_id" uuid,
	"last_step_id" uuid,
	"last_step_number" integer,
	"last_ordinal" integer,
	"last_sent_at" timestamp (3) with time zone,
	"skipped_step_id" uuid,
	"skipped_step_number" integer,
	"skipped_at" timestamp (3) with time zone,
	"next_step_number" integer,
	"next_at" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"reason" jsonb,
	"resumed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "enrollments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "sequence_versions" (
	"workspace_id" uuid NOT NULL,
	"campaign_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"steps" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sequence_versions_workspace_id_campaign_id_version_pk" PRIMARY KEY("workspace_id","campaign_id","version")
);
--> statement-breakpoint
ALTER TABLE "campaigns" DROP CONSTRAINT "campaigns_counts";--> statement-breakpoint
DROP INDEX "dms_next";--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "step_count" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "firsts_queued_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "open_enrollments" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "follow_up_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "last_claimed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "last_claimed_campaign_id" uuid;--> statement-breakpoint
ALTER TABLE "replies" ADD COLUMN "label" text;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "enrollment_id" uuid;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "step_id" uuid;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "step_number" integer;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "variant_id" uuid;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "is_follow_up" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "is_held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "follow_ups_in_row" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sequence_versions" ADD CONSTRAINT "sequence_versions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "enrollments_once" ON "enrollments" USING btree ("workspace_id","campaign_id","lead_id");--> statement-breakpoint
CREATE INDEX "enrollments_lead" ON "enrollments" USING btree ("workspace_id","lead_id");--> statement-breakpoint
CREATE INDEX "enrollments_state" ON "enrollments" USING btree ("workspace_id","campaign_id","state","id");--> statement-breakpoint
CREATE INDEX "enrollments_due" ON "enrollments" USING btree ("workspace_id","campaign_id","next_at","id") WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX "campaigns_follow_up" ON "campaigns" USING btree ("follow_up_due_at") WHERE status = 'active' and follow_up_due_at is not null;--> statement-breakpoint
CREATE INDEX "dms_follow_ups" ON "dms" USING btree ("x_account_id","campaign_id","due_at","id") WHERE status = 'queued' and lease_expires_at is null and not is_held and is_follow_up;--> statement-breakpoint
CREATE INDEX "dms_variants" ON "dms" USING btree ("campaign_id","variant_id","status") WHERE sent_at is not null;--> statement-breakpoint
CREATE INDEX "dms_next" ON "dms" USING btree ("campaign_id","is_follow_up","due_at","id") WHERE status = 'queued' and lease_expires_at is null and not is_held;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_counts" CHECK (dms_queued_count >= 0 and dms_sent_count >= 0 and dms_failed_count >= 0 and open_enrollments >= 0);
--> statement-breakpoint
-- As in 0020_campaign_funnel.sql, and how many first messages senders may claim.
CREATE OR REPLACE FUNCTION count_dms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered, firsts_queued_count = c.firsts_queued_count + d.firsts
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held) AS firsts,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered
            FROM added GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count - d.queued, dms_sent_count = c.dms_sent_count - d.sent,
        dms_failed_count = c.dms_failed_count - d.failed, dms_replied_count = c.dms_replied_count - d.replied,
        dms_delivered_count = c.dms_delivered_count - d.delivered, firsts_queued_count = c.firsts_queued_count - d.firsts
      FROM (SELECT campaign_id,
              count(*) FILTER (WHERE status = 'queued') AS queued,
              count(*) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held) AS firsts,
              count(*) FILTER (WHERE status IN ('sent', 'delivered', 'replied')) AS sent,
              count(*) FILTER (WHERE status = 'failed') AS failed,
              count(*) FILTER (WHERE status = 'replied') AS replied,
              count(*) FILTER (WHERE status IN ('delivered', 'replied')) AS delivered
            FROM removed GROUP BY 1) d WHERE c.id = d.campaign_id;
  ELSE
    -- Only where a status changed; claiming a message changes none and locks no campaign.
    UPDATE campaigns c SET dms_queued_count = c.dms_queued_count + d.queued, dms_sent_count = c.dms_sent_count + d.sent,
        dms_failed_count = c.dms_failed_count + d.failed, dms_replied_count = c.dms_replied_count + d.replied,
        dms_delivered_count = c.dms_delivered_count + d.delivered, firsts_queued_count = c.firsts_queued_count + d.firsts
      FROM (SELECT campaign_id,
              coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) AS queued,
              coalesce(sum(n) FILTER (WHERE status = 'queued' AND NOT is_follow_up AND NOT is_held), 0) AS firsts,
              coalesce(sum(n) FILTER (WHERE status IN ('sent', 'delivered', 'replied')), 0) AS sent,
              coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS failed,
              coalesce(sum(n) FILTER (WHERE status = 'replied'), 0) AS replied,
              coalesce(sum(n) FILTER (WHERE status IN ('delivered', 'replied')), 0) AS delivered
            FROM (SELECT campaign_id, status, is_follow_up, is_held, 1 AS n FROM added
                  UNION ALL SELECT campaign_id, status, is_follow_up, is_held, -1 FROM removed) changes
            GROUP BY 1) d
      WHERE c.id = d.campaign_id
        AND (d.queued <> 0 OR d.firsts <> 0 OR d.sent <> 0 OR d.failed <> 0 OR d.replied <> 0 OR d.delivered <> 0);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Every campaign becomes a sequence of one step with one variant.
INSERT INTO sequence_versions (workspace_id, campaign_id, version, steps)
SELECT c.workspace_id, c.id, 1, jsonb_build_array(jsonb_build_object(
  'id', new_id(), 'kind', 'step', 'delay', NULL, 'condition', NULL,
  'allocation', 'weights', 'switchToWinner', false, 'testWindowDays', 7,
  'variants', jsonb_build_array(jsonb_build_object(
    'id', new_id(), 'name', 'A', 'messageTemplate', c.message_template, 'weight', 1, 'isActive', true))))
FROM campaigns c WHERE c.kind = 'campaign';
--> statement-breakpoint
INSERT INTO enrollments (workspace_id, campaign_id, lead_id, state, version, x_account_id, last_step_id, last_step_number,
  last_ordinal, last_sent_at, next_step_number, reason, created_at)
SELECT d.workspace_id, d.campaign_id, d.lead_id, known.state, 1,
  CASE WHEN d.sent_at IS NOT NULL THEN d.x_account_id END, CASE WHEN d.sent_at IS NOT NULL THEN (v.steps -> 0 ->> 'id')::uuid END,
  CASE WHEN d.sent_at IS NOT NULL THEN 1 END, CASE WHEN d.sent_at IS NOT NULL THEN d.step END, d.sent_at,
  CASE WHEN known.state = 'active' THEN 1 END, CASE
    WHEN known.state = 'replied' THEN '{"code":"reply","params":{}}'::jsonb
    WHEN known.state = 'stopped' AND d.status = 'queued' THEN '{"code":"archived","params":{}}'
    WHEN known.state = 'stopped' THEN '{"code":"skipped","params":{}}' END, d.created_at
FROM dms d JOIN campaigns c ON c.id = d.campaign_id
  JOIN sequence_versions v ON v.workspace_id = c.workspace_id AND v.campaign_id = c.id CROSS JOIN LATERAL (SELECT CASE
    WHEN d.status = 'replied' THEN 'replied'
    WHEN d.sent_at IS NOT NULL THEN 'finished'
    WHEN d.status = 'queued' THEN CASE WHEN c.status = 'archived' THEN 'stopped' ELSE 'active' END
    WHEN d.reason IS NOT NULL AND d.tried_at IS NULL AND d.claimed_at IS NULL THEN 'stopped'
    ELSE 'failed' END AS state) known
WHERE c.kind = 'campaign' AND d.lead_id IS NOT NULL AND d.step = 0;
--> statement-breakpoint
-- No count changes.
ALTER TABLE dms DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE dms d SET step_number = 1, step_id = (v.steps -> 0 ->> 'id')::uuid, variant_id = (v.steps -> 0 -> 'variants' -> 0 ->> 'id')::uuid,
  enrollment_id = (SELECT e.id FROM enrollments e WHERE e.workspace_id = d.workspace_id AND e.campaign_id = d.campaign_id AND e.lead_id = d.lead_id AND d.step = 0)
FROM sequence_versions v WHERE v.workspace_id = d.workspace_id AND v.campaign_id = d.campaign_id;
--> statement-breakpoint
ALTER TABLE dms ENABLE TRIGGER USER;
--> statement-breakpoint
UPDATE campaigns c SET open_enrollments = (SELECT count(*) FROM enrollments e
    WHERE e.workspace_id = c.workspace_id AND e.campaign_id = c.id AND e.state = 'active'),
  firsts_queued_count = c.dms_queued_count;
--> statement-breakpoint
UPDATE replies SET label = 'opted_out' WHERE opted_out;
