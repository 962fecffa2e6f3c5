-- Drafts and assignments of people who have left or cannot open the inbox.
DELETE FROM "conversation_drafts" d WHERE NOT EXISTS (
	SELECT FROM "workspace_members" m WHERE m."workspace_id" = d."workspace_id" AND m."user_id" = d."user_id" AND m."role" <> 'viewer');--> statement-breakpoint
UPDATE "conversations" c SET "assignee_id" = NULL FROM "workspace_members" m
	WHERE m."workspace_id" = c."workspace_id" AND m."user_id" = c."assignee_id" AND m."role" = 'viewer';--> statement-breakpoint
DROP INDEX "leads_replied";--> statement-breakpoint
DROP INDEX "dms_answer_texts";--> statement-breakpoint
ALTER TABLE "conversation_drafts" ADD CONSTRAINT "conversation_drafts_member" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."workspace_members"("workspace_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_drafts_member" ON "conversation_drafts" USING btree ("workspace_id","user_id");--> statement-breakpoint
CREATE INDEX "leads_replied" ON "leads" USING btree ("workspace_id","created_at","id") WHERE replied_at is not null;--> statement-breakpoint
CREATE INDEX "dms_answer_texts" ON "dms" USING btree ("workspace_id","created_at") WHERE is_answer and status <> 'queued' and not outcome_unknown and message <> '';