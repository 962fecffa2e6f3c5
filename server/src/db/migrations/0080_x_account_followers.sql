ALTER TABLE "x_accounts" ADD COLUMN "follower_count" integer;--> statement-breakpoint
CREATE INDEX "suppressions_reason" ON "suppressions" USING btree ("workspace_id","reason","created_at","id");