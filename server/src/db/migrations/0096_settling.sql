ALTER TABLE "dms" ADD COLUMN "is_handed_over" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "absent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "unreadable_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dms" ADD COLUMN "may_resend" boolean DEFAULT true NOT NULL;