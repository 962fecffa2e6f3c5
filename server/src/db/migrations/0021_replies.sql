CREATE TABLE "lead_reads" (
	"lead_id" uuid NOT NULL,
	"account_x_user_id" text NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "lead_reads_lead_id_account_x_user_id_pk" PRIMARY KEY("lead_id","account_x_user_id")
);
--> statement-breakpoint
CREATE TABLE "replies" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"dm_id" uuid,
	"account_x_user_id" text NOT NULL,
	"x_event_id" text NOT NULL,
	"kind" text NOT NULL,
	"text" text,
	"opted_out" boolean DEFAULT false NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reply_settings" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"opt_out_words" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reply_watches" (
	"x_user_id" text PRIMARY KEY NOT NULL,
	"webhook_id" text,
	"subscription_ids" text[] DEFAULT '{}' NOT NULL,
	"problem" text,
	"next_check_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"cursor_event_id" text,
	"page_token" text,
	"page_newest_id" text,
	"next_poll_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "leads" ADD COLUMN "replied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "removed_leads" ADD COLUMN "replies" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "delivered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "replied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "requeued_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lead_reads" ADD CONSTRAINT "lead_reads_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replies" ADD CONSTRAINT "replies_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replies" ADD CONSTRAINT "replies_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replies" ADD CONSTRAINT "replies_dm_id_dms_id_fk" FOREIGN KEY ("dm_id") REFERENCES "public"."dms"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reply_settings" ADD CONSTRAINT "reply_settings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "replies_event" ON "replies" USING btree ("workspace_id","x_event_id");--> statement-breakpoint
CREATE INDEX "replies_lead" ON "replies" USING btree ("lead_id","created_at");--> statement-breakpoint
CREATE INDEX "replies_dm" ON "replies" USING btree ("dm_id") WHERE dm_id is not null;--> statement-breakpoint
CREATE INDEX "reply_watches_check" ON "reply_watches" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "reply_watches_poll" ON "reply_watches" USING btree ("next_poll_at");