CREATE TABLE "auth_link_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"code_challenge" text NOT NULL,
	"session_id" uuid NOT NULL,
	"provider_id" text NOT NULL,
	"account_id" text NOT NULL,
	"email" text,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_states" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"intent" text NOT NULL,
	"code_challenge" text NOT NULL,
	"referral_code" text,
	"session_id" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_identities" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "auth_link_codes" ADD CONSTRAINT "auth_link_codes_session_id_auth_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_states" ADD CONSTRAINT "auth_states_session_id_auth_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_sessions"("id") ON DELETE cascade ON UPDATE no action;