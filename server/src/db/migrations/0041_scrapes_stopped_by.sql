ALTER TABLE "scrapes" ADD COLUMN "stopped_by" text;--> statement-breakpoint
ALTER TABLE "scrapes" ADD CONSTRAINT "scrapes_stopped_by" CHECK (stopped_by is null or status = 'completed');--> statement-breakpoint
-- Until now only the plan's limit left a text on a completed scrape.
UPDATE "scrapes" SET "stopped_by" = 'PLAN_LIMIT' WHERE "status" = 'completed' AND "error" IS NOT NULL;
