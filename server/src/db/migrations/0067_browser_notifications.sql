ALTER TABLE "notifications" ADD COLUMN "browser" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "notifications_digest_due" ON "notifications" USING btree ("created_at") WHERE email and emailed_at is null and is_digest;--> statement-breakpoint
CREATE INDEX "notifications_to_show" ON "notifications" USING btree ("user_id","workspace_id","created_at","id") WHERE browser;