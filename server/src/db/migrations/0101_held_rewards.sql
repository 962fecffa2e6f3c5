ALTER TABLE "reward_grants" ALTER COLUMN "granted_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "reward_hold" text;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "reward_allowed" boolean;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "mail_check_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD COLUMN "earned_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD COLUMN "confirmed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD COLUMN "needed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD COLUMN "starts_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "referrals_reward_held" ON "referrals" USING btree ("created_at","member_id") WHERE status = 'credited' and reward_hold is not null and reward_allowed is null;--> statement-breakpoint
CREATE INDEX "referrals_mail_check" ON "referrals" USING btree ("mail_check_at") WHERE mail_check_at is not null;--> statement-breakpoint
CREATE INDEX "reward_grants_due" ON "reward_grants" USING btree ("starts_at") WHERE granted_at is null;--> statement-breakpoint
UPDATE reward_grants SET earned_at = granted_at;