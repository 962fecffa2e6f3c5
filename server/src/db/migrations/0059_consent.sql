CREATE TABLE "conversation_settings" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"keep_texts_days" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "snippets" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"shortcut" text NOT NULL,
	"text" text NOT NULL,
	"author_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "snippets_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "stores_conversations" boolean;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "consent_by" uuid;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "consent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "offers_unknown_senders" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "conversation_settings" ADD CONSTRAINT "conversation_settings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snippets" ADD CONSTRAINT "snippets_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "snippets_shortcut" ON "snippets" USING btree ("workspace_id",lower(shortcut));--> statement-breakpoint
CREATE INDEX "replies_texts" ON "replies" USING btree ("workspace_id","at") WHERE text is not null;
--> statement-breakpoint
-- Notes of automatic entries were texts of replies, which viewers could read.
UPDATE "suppressions" SET "note" = NULL WHERE "reason" = 'replied_stop' AND "user_id" IS NULL;
