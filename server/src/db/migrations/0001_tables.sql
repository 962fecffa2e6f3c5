CREATE TABLE "auth_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"code_challenge" text,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_identities" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"user_id" uuid NOT NULL,
	"provider_id" text NOT NULL,
	"account_id" text NOT NULL,
	"password" text,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_keys" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"alg" text,
	"crv" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "auth_refresh_tokens" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"session_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	CONSTRAINT "auth_refresh_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "auth_revocations" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"revoked_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_sessions" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "auth_users" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "auth_verifications" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"kind" text DEFAULT 'campaign' NOT NULL,
	"name" text NOT NULL,
	"lead_list_id" uuid,
	"message_template" text NOT NULL,
	"channel" text NOT NULL,
	"x_account_id" uuid,
	"allow_repeat" boolean DEFAULT false NOT NULL,
	"status" text NOT NULL,
	"pause_reason" text,
	"queued_at" timestamp (3) with time zone,
	"total_leads_in_list" integer DEFAULT 0 NOT NULL,
	"dms_queued_count" integer DEFAULT 0 NOT NULL,
	"dms_sent_count" integer DEFAULT 0 NOT NULL,
	"dms_failed_count" integer DEFAULT 0 NOT NULL,
	"last_run_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaigns_counts" CHECK (dms_queued_count >= 0 and dms_sent_count >= 0 and dms_failed_count >= 0)
);
--> statement-breakpoint
CREATE TABLE "lead_counts" (
	"workspace_id" uuid NOT NULL,
	"dm_status" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "lead_counts_workspace_id_dm_status_pk" PRIMARY KEY("workspace_id","dm_status")
);
--> statement-breakpoint
CREATE TABLE "leads" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"x_user_id" text,
	"name" text NOT NULL,
	"twitter_handle" text NOT NULL,
	"bio" text,
	"follower_count" integer,
	"following_count" integer,
	"source_profile" text,
	"url" text,
	"profile_image_url" text,
	"location" text,
	"website" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"dm_status" text DEFAULT 'not_sent' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lead_list_items" (
	"lead_list_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"contact_status" text DEFAULT 'pending' NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_list_items_lead_list_id_lead_id_pk" PRIMARY KEY("lead_list_id","lead_id")
);
--> statement-breakpoint
CREATE TABLE "lead_lists" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"name" text NOT NULL,
	"description" text,
	"lead_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scrape_leads" (
	"scrape_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	CONSTRAINT "scrape_leads_scrape_id_lead_id_pk" PRIMARY KEY("scrape_id","lead_id")
);
--> statement-breakpoint
CREATE TABLE "scrapes" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"x_account_id" uuid,
	"twitter_handle" text NOT NULL,
	"type" text NOT NULL,
	"min_followers" integer NOT NULL,
	"max_followers" integer NOT NULL,
	"keywords" jsonb NOT NULL,
	"max_results" integer NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"source_user_id" text,
	"cursor" text,
	"fetched" integer DEFAULT 0 NOT NULL,
	"matched" integer DEFAULT 0 NOT NULL,
	"expected" integer,
	"busy_ms" bigint DEFAULT 0 NOT NULL,
	"resumes_at" timestamp (3) with time zone,
	"error" text,
	"version" integer DEFAULT 0 NOT NULL,
	"worker_id" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dms" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"lead_id" uuid,
	"campaign_id" uuid NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"message" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease" uuid,
	"holder" text,
	"lease_expires_at" timestamp (3) with time zone,
	"claimed_at" timestamp (3) with time zone,
	"x_account_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"outcome_unknown" boolean DEFAULT false NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"x_event_id" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dms_lease" CHECK (lease_expires_at is null or (status = 'queued' and lease is not null)),
	CONSTRAINT "dms_sent" CHECK ((status in ('sent', 'delivered', 'replied')) = (sent_at is not null))
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspace_members" (
	"workspace_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "workspace_members_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"name" text NOT NULL,
	"personal_of" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "x_accounts" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"workspace_id" uuid NOT NULL,
	"user_id" uuid,
	"x_user_id" text NOT NULL,
	"handle" text NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"sealed_access_token" text,
	"sealed_refresh_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"last_connected_at" timestamp (3) with time zone,
	"next_send_at" timestamp (3) with time zone,
	"daily_cap" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_codes" ADD CONSTRAINT "auth_codes_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_identities" ADD CONSTRAINT "auth_identities_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_refresh_tokens" ADD CONSTRAINT "auth_refresh_tokens_session_id_auth_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_lead_list_id_lead_lists_id_fk" FOREIGN KEY ("lead_list_id") REFERENCES "public"."lead_lists"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_x_account_id_x_accounts_id_fk" FOREIGN KEY ("x_account_id") REFERENCES "public"."x_accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_counts" ADD CONSTRAINT "lead_counts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leads" ADD CONSTRAINT "leads_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leads" ADD CONSTRAINT "leads_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_list_items" ADD CONSTRAINT "lead_list_items_lead_list_id_lead_lists_id_fk" FOREIGN KEY ("lead_list_id") REFERENCES "public"."lead_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_list_items" ADD CONSTRAINT "lead_list_items_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD CONSTRAINT "lead_lists_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_lists" ADD CONSTRAINT "lead_lists_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrape_leads" ADD CONSTRAINT "scrape_leads_scrape_id_scrapes_id_fk" FOREIGN KEY ("scrape_id") REFERENCES "public"."scrapes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrape_leads" ADD CONSTRAINT "scrape_leads_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrapes" ADD CONSTRAINT "scrapes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrapes" ADD CONSTRAINT "scrapes_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrapes" ADD CONSTRAINT "scrapes_x_account_id_x_accounts_id_fk" FOREIGN KEY ("x_account_id") REFERENCES "public"."x_accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dms" ADD CONSTRAINT "dms_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dms" ADD CONSTRAINT "dms_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dms" ADD CONSTRAINT "dms_lead_id_leads_id_fk" FOREIGN KEY ("lead_id") REFERENCES "public"."leads"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dms" ADD CONSTRAINT "dms_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dms" ADD CONSTRAINT "dms_x_account_id_x_accounts_id_fk" FOREIGN KEY ("x_account_id") REFERENCES "public"."x_accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_members" ADD CONSTRAINT "workspace_members_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_personal_of_auth_users_id_fk" FOREIGN KEY ("personal_of") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD CONSTRAINT "x_accounts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "x_accounts" ADD CONSTRAINT "x_accounts_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_identities_account" ON "auth_identities" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_identities_user" ON "auth_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_refresh_tokens_session" ON "auth_refresh_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "auth_revocations_at" ON "auth_revocations" USING btree ("revoked_at");--> statement-breakpoint
CREATE INDEX "auth_sessions_user" ON "auth_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_verifications_identifier" ON "auth_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "campaigns_newest" ON "campaigns" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE kind = 'campaign';--> statement-breakpoint
CREATE UNIQUE INDEX "campaigns_direct" ON "campaigns" USING btree ("workspace_id") WHERE kind = 'direct';--> statement-breakpoint
CREATE INDEX "campaigns_sending" ON "campaigns" USING btree ("x_account_id","created_at","id") WHERE status = 'active' and dms_queued_count > 0;--> statement-breakpoint
CREATE INDEX "campaigns_list" ON "campaigns" USING btree ("lead_list_id");--> statement-breakpoint
CREATE UNIQUE INDEX "leads_x_user" ON "leads" USING btree ("workspace_id","x_user_id") WHERE x_user_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "leads_handle_unknown_user" ON "leads" USING btree ("workspace_id",lower(twitter_handle)) WHERE x_user_id is null;--> statement-breakpoint
CREATE INDEX "leads_handle" ON "leads" USING btree ("workspace_id",lower(twitter_handle));--> statement-breakpoint
CREATE INDEX "leads_newest" ON "leads" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "leads_status" ON "leads" USING btree ("workspace_id","dm_status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "leads_followers" ON "leads" USING btree ("workspace_id","follower_count","id");--> statement-breakpoint
CREATE INDEX "lead_list_items_newest" ON "lead_list_items" USING btree ("lead_list_id","added_at" DESC NULLS LAST,"lead_id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "lead_list_items_lead" ON "lead_list_items" USING btree ("lead_id");--> statement-breakpoint
CREATE INDEX "lead_lists_newest" ON "lead_lists" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "scrape_leads_lead" ON "scrape_leads" USING btree ("lead_id");--> statement-breakpoint
CREATE INDEX "scrapes_newest" ON "scrapes" USING btree ("workspace_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "scrapes_status" ON "scrapes" USING btree ("status");--> statement-breakpoint
CREATE UNIQUE INDEX "dms_once" ON "dms" USING btree ("campaign_id","step","lead_id");--> statement-breakpoint
CREATE INDEX "dms_next" ON "dms" USING btree ("campaign_id","due_at","id") WHERE status = 'queued' and lease_expires_at is null;--> statement-breakpoint
CREATE INDEX "dms_leased" ON "dms" USING btree ("lease_expires_at") WHERE lease_expires_at is not null;--> statement-breakpoint
CREATE INDEX "dms_campaign" ON "dms" USING btree ("campaign_id","created_at","id");--> statement-breakpoint
CREATE INDEX "dms_campaign_status" ON "dms" USING btree ("campaign_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "dms_account_claims" ON "dms" USING btree ("x_account_id","claimed_at") WHERE claimed_at is not null;--> statement-breakpoint
CREATE INDEX "dms_lead" ON "dms" USING btree ("lead_id");--> statement-breakpoint
CREATE INDEX "workspace_members_user" ON "workspace_members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workspaces_personal" ON "workspaces" USING btree ("personal_of");--> statement-breakpoint
CREATE UNIQUE INDEX "x_accounts_user" ON "x_accounts" USING btree ("workspace_id","x_user_id");--> statement-breakpoint
CREATE INDEX "x_accounts_next_send" ON "x_accounts" USING btree ("next_send_at") WHERE next_send_at is not null and status = 'connected';