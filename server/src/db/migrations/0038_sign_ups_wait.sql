CREATE TABLE "auth_sign_ups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password" text NOT NULL,
	"browser_hash" text,
	"code_challenge" text,
	"referral" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_refresh_tokens" ADD COLUMN "parent_id" uuid;--> statement-breakpoint
ALTER TABLE "auth_refresh_tokens" ADD COLUMN "revoked_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "auth_sign_ups_email" ON "auth_sign_ups" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "auth_sign_ups_age" ON "auth_sign_ups" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_refresh_tokens_parent" ON "auth_refresh_tokens" USING btree ("parent_id");
--> statement-breakpoint
-- Accounts that nobody has confirmed are sign-ups that wait. One that is in a workspace stays as it is.
INSERT INTO "auth_sign_ups" ("id", "email", "name", "password", "referral", "expires_at")
	SELECT u."id", u."email", u."name", i."password",
		CASE WHEN r."account_user_id" IS NULL THEN NULL ELSE jsonb_build_object(
			'referralCode', r."referral_code", 'addressHash', r."address_hash", 'rangeHash', r."range_hash", 'country', r."country") END,
		now() + interval '1 day'
	FROM "auth_users" u
	JOIN "auth_identities" i ON i."user_id" = u."id" AND i."provider_id" = 'credential' AND i."password" IS NOT NULL
	LEFT JOIN "sign_up_referrals" r ON r."account_user_id" = u."id"
	WHERE NOT u."email_verified" AND NOT EXISTS (SELECT FROM "workspace_members" m WHERE m."user_id" = u."id");
--> statement-breakpoint
DELETE FROM "auth_users" u USING "auth_sign_ups" s WHERE s."id" = u."id";
