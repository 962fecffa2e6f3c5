DROP INDEX "notifications_to_email";--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD COLUMN "browser" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD COLUMN "frequency" text DEFAULT 'immediate' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD COLUMN "labels" text[];--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "is_digest" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "notifications_to_digest" ON "notifications" USING btree ("user_id","workspace_id","created_at") WHERE email and emailed_at is null and is_digest;--> statement-breakpoint
CREATE INDEX "notifications_to_email" ON "notifications" USING btree ("created_at") WHERE email and emailed_at is null and not is_digest;