ALTER TABLE "lead_removals" ADD COLUMN "selection_hash" text;--> statement-breakpoint
ALTER TABLE "lead_removals" ADD COLUMN "cursor" text;