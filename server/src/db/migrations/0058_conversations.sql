CREATE TABLE "conversation_counts" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"open" integer DEFAULT 0 NOT NULL,
	"unread" integer DEFAULT 0 NOT NULL,
	"snoozed" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversation_drafts" (
	"workspace_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"text" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_drafts_workspace_id_conversation_id_user_id_pk" PRIMARY KEY("workspace_id","conversation_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"account_x_user_id" text NOT NULL,
	"lead_id" uuid NOT NULL,
	"campaign_id" uuid,
	"status" text DEFAULT 'open' NOT NULL,
	"snoozed_until" timestamp (3) with time zone,
	"sort_at" timestamp (3) with time zone NOT NULL,
	"last_message_id" uuid NOT NULL,
	"last_message_at" timestamp (3) with time zone NOT NULL,
	"is_last_ours" boolean DEFAULT false NOT NULL,
	"is_unread" boolean DEFAULT true NOT NULL,
	"label" text,
	"confidence" real,
	"labelled_by" uuid,
	"suggests_suppression" boolean DEFAULT false NOT NULL,
	"is_encrypted" boolean DEFAULT false NOT NULL,
	"assignee_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "conversations" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "conversation_counts" ADD CONSTRAINT "conversation_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_drafts" ADD CONSTRAINT "conversation_drafts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_once" ON "conversations" USING btree ("workspace_id","lead_id","account_x_user_id");--> statement-breakpoint
CREATE INDEX "conversations_newest" ON "conversations" USING btree ("workspace_id","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_status" ON "conversations" USING btree ("workspace_id","status","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_label" ON "conversations" USING btree ("workspace_id","label","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_assignee" ON "conversations" USING btree ("workspace_id","assignee_id","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_campaign" ON "conversations" USING btree ("workspace_id","campaign_id","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_account" ON "conversations" USING btree ("workspace_id","account_x_user_id","sort_at","id");--> statement-breakpoint
CREATE INDEX "conversations_snoozed" ON "conversations" USING btree ("snoozed_until") WHERE status = 'snoozed';--> statement-breakpoint
CREATE INDEX "replies_words" ON "replies" USING gin ("workspace_id", "text" gin_trgm_ops) WHERE text is not null;
--> statement-breakpoint
-- Every lead who has replied has a conversation with the account. Those of the last 30 days are open.
INSERT INTO conversations (workspace_id, account_x_user_id, lead_id, campaign_id, status, sort_at, last_message_id, last_message_at, is_last_ours, is_unread, label, confidence)
SELECT t.workspace_id, t.account_x_user_id, t.lead_id, (
    SELECT d.campaign_id FROM replies r JOIN dms d ON d.id = r.dm_id JOIN campaigns c ON c.id = d.campaign_id AND c.kind = 'campaign'
    WHERE r.lead_id = t.lead_id AND r.account_x_user_id = t.account_x_user_id AND r.kind = 'reply' ORDER BY r.at DESC LIMIT 1
  ), CASE WHEN t.replied_at > now() - interval '30 days' THEN 'open' ELSE 'done' END, latest.at, latest.id, latest.at, latest.is_ours, false,
  t.label, CASE WHEN t.label IS NOT NULL THEN 1 END
FROM (
  SELECT workspace_id, account_x_user_id, lead_id, max(at) AS replied_at, CASE WHEN bool_or(label = 'opted_out') THEN 'opted_out' ELSE
    (array_agg(label ORDER BY label = 'auto_reply', at DESC) FILTER (WHERE label IS NOT NULL))[1] END AS label
  FROM replies WHERE kind = 'reply' GROUP BY 1, 2, 3
) t CROSS JOIN LATERAL (
  SELECT * FROM (
    (SELECT r.id, r.at, r.kind = 'written' AS is_ours FROM replies r WHERE r.lead_id = t.lead_id AND r.account_x_user_id = t.account_x_user_id ORDER BY r.at DESC LIMIT 1)
    UNION ALL
    (SELECT d.id, d.sent_at, true FROM dms d JOIN x_accounts a ON a.id = d.x_account_id AND a.x_user_id = t.account_x_user_id
     WHERE d.lead_id = t.lead_id AND d.sent_at IS NOT NULL ORDER BY d.sent_at DESC LIMIT 1)
  ) message ORDER BY at DESC LIMIT 1
) latest;
--> statement-breakpoint
INSERT INTO conversation_counts (workspace_id, open) SELECT workspace_id, count(*) FROM conversations WHERE status = 'open' GROUP BY 1;
