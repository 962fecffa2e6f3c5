CREATE TABLE "chat_reads" (
	"account_x_user_id" text NOT NULL,
	"person_x_user_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"read_until" timestamp (3) with time zone,
	CONSTRAINT "chat_reads_account_x_user_id_person_x_user_id_pk" PRIMARY KEY("account_x_user_id","person_x_user_id")
);
--> statement-breakpoint
CREATE TABLE "x_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "x_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"x_app_id" uuid NOT NULL,
	"account_x_user_id" text,
	"person_x_user_id" text,
	"holds" boolean NOT NULL,
	"sealed_body" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "rests_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "reading" jsonb;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "fails_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "notified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "chat_absent_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "has_message_requests" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "delivered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "gap_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "gap_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_apps" ADD COLUMN "replayed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_reads" ADD CONSTRAINT "chat_reads_account_x_user_id_reply_watches_x_user_id_fk" FOREIGN KEY ("account_x_user_id") REFERENCES "public"."reply_watches"("x_user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "x_deliveries" ADD CONSTRAINT "x_deliveries_x_app_id_x_apps_id_fk" FOREIGN KEY ("x_app_id") REFERENCES "public"."x_apps"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "x_deliveries_of" ON "x_deliveries" USING btree ("account_x_user_id","person_x_user_id","id");--> statement-breakpoint
CREATE INDEX "x_deliveries_next" ON "x_deliveries" USING btree ("next_at");
-- Processes of the version before may be running, so the columns that only they use stay:
-- cursor_event_id, page_token, page_newest_id, polled_at and confirmed_at of reply_watches.
