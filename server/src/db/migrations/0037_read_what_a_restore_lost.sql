ALTER TABLE "x_accounts" ADD COLUMN "unread_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD COLUMN "unread_until" timestamp (3) with time zone;