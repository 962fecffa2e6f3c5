CREATE TABLE "conversation_undos" (
	"workspace_id" uuid NOT NULL,
	"undo_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"before" jsonb NOT NULL,
	"reply_id" uuid,
	"reply_label" text,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_undos_workspace_id_undo_id_conversation_id_pk" PRIMARY KEY("workspace_id","undo_id","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "label_corrections" (
	"workspace_id" uuid NOT NULL,
	"id" uuid DEFAULT new_id() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"old_label" text,
	"new_label" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "label_corrections_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "conversation_undos" ADD CONSTRAINT "conversation_undos_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "label_corrections" ADD CONSTRAINT "label_corrections_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_undos_oldest" ON "conversation_undos" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "label_corrections_conversation" ON "label_corrections" USING btree ("workspace_id","conversation_id","at");--> statement-breakpoint
-- Nobody is assigned who has left the workspace.
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_assignee_fk" FOREIGN KEY ("workspace_id","assignee_id") REFERENCES "workspace_members"("workspace_id","user_id") ON DELETE SET NULL ("assignee_id");
