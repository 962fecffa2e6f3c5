CREATE TABLE "join_addresses" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"address_hash" text NOT NULL,
	"range_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leaderboard_tallies" (
	"period" text NOT NULL,
	"referral_count" integer NOT NULL,
	"members" bigint NOT NULL,
	CONSTRAINT "leaderboard_tallies_period_referral_count_pk" PRIMARY KEY("period","referral_count")
);
--> statement-breakpoint
CREATE TABLE "leaderboard_ties" (
	"period" text NOT NULL,
	"referral_count" integer NOT NULL,
	"bucket" integer NOT NULL,
	"members" bigint NOT NULL,
	CONSTRAINT "leaderboard_ties_period_referral_count_bucket_pk" PRIMARY KEY("period","referral_count","bucket")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"email" text,
	"normalized_email" text,
	"referral_code" text,
	"referred_by" uuid,
	"signup_date" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"achievements" text[] DEFAULT '{}' NOT NULL,
	"account_user_id" uuid,
	"joined_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"invited_at" timestamp (3) with time zone,
	"unsubscribed_at" timestamp (3) with time zone,
	"country" text,
	"referral_countries" text[] DEFAULT '{}' NOT NULL,
	"confirmation_mailed_at" timestamp (3) with time zone,
	"moved_up_mailed_at" timestamp (3) with time zone,
	CONSTRAINT "users_referral_code_unique" UNIQUE("referral_code"),
	CONSTRAINT "users_position" CHECK (position >= 0 and (position > 0) = (joined_at is not null))
);
--> statement-breakpoint
CREATE TABLE "page_views" (
	"day" date NOT NULL,
	"path" text NOT NULL,
	"ref" text NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"joins" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "page_views_day_path_ref_pk" PRIMARY KEY("day","path","ref")
);
--> statement-breakpoint
CREATE TABLE "referral_counts" (
	"period" text NOT NULL,
	"member_id" uuid NOT NULL,
	"referral_count" integer NOT NULL,
	"last_credit" bigint NOT NULL,
	CONSTRAINT "referral_counts_period_member_id_pk" PRIMARY KEY("period","member_id"),
	CONSTRAINT "referral_counts_count" CHECK (referral_count >= 0)
);
--> statement-breakpoint
CREATE TABLE "referrals" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"referrer_id" uuid NOT NULL,
	"status" text NOT NULL,
	"hold_reason" text,
	"country" text,
	"moved" boolean DEFAULT false NOT NULL,
	"credit_number" bigint,
	"credited_at" timestamp (3) with time zone,
	"in_week" boolean DEFAULT false NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "referrals_credit" CHECK ((status = 'credited') = (credit_number is not null)),
	CONSTRAINT "referrals_credited_at" CHECK ((status = 'credited') = (credited_at is not null)),
	CONSTRAINT "referrals_in_week" CHECK (not in_week or status = 'credited'),
	CONSTRAINT "referrals_not_oneself" CHECK (member_id <> referrer_id)
);
--> statement-breakpoint
CREATE TABLE "reward_grants" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"member_id" uuid NOT NULL,
	"achievement" text NOT NULL,
	"months" integer NOT NULL,
	"account_user_id" uuid,
	"granted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_up_referrals" (
	"account_user_id" uuid PRIMARY KEY NOT NULL,
	"referral_code" text NOT NULL,
	"address_hash" text NOT NULL,
	"range_hash" text NOT NULL,
	"country" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waitlist_state" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"joined" integer NOT NULL,
	"credits" bigint NOT NULL,
	CONSTRAINT "waitlist_state_one" CHECK (id = 1)
);
--> statement-breakpoint
ALTER TABLE "join_addresses" ADD CONSTRAINT "join_addresses_member_id_users_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_referred_by_users_id_fk" FOREIGN KEY ("referred_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_account_user_id_auth_users_id_fk" FOREIGN KEY ("account_user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referral_counts" ADD CONSTRAINT "referral_counts_member_id_users_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_member_id_users_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_referrer_id_users_id_fk" FOREIGN KEY ("referrer_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD CONSTRAINT "reward_grants_member_id_users_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reward_grants" ADD CONSTRAINT "reward_grants_account_user_id_auth_users_id_fk" FOREIGN KEY ("account_user_id") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_up_referrals" ADD CONSTRAINT "sign_up_referrals_account_user_id_auth_users_id_fk" FOREIGN KEY ("account_user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "join_addresses_range" ON "join_addresses" USING btree ("range_hash","created_at");--> statement-breakpoint
CREATE INDEX "join_addresses_age" ON "join_addresses" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_normalized_email" ON "users" USING btree ("normalized_email" text_pattern_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "users_account" ON "users" USING btree ("account_user_id") WHERE account_user_id is not null;--> statement-breakpoint
CREATE INDEX "referral_counts_ranks" ON "referral_counts" USING btree ("period",(-referral_count),"last_credit") WHERE referral_count > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "referrals_credits" ON "referrals" USING btree ("referrer_id","credit_number") WHERE credit_number is not null;--> statement-breakpoint
CREATE INDEX "referrals_held" ON "referrals" USING btree ("created_at","member_id") WHERE status = 'held';--> statement-breakpoint
CREATE INDEX "referrals_week" ON "referrals" USING btree ("credited_at") WHERE in_week;--> statement-breakpoint
CREATE UNIQUE INDEX "reward_grants_once" ON "reward_grants" USING btree ("member_id","achievement");--> statement-breakpoint
CREATE INDEX "reward_grants_account" ON "reward_grants" USING btree ("account_user_id");--> statement-breakpoint
-- Nobody shares a place. Checked at the end of each statement, so that one UPDATE shifts several; places of 0 are none.
ALTER TABLE users ADD CONSTRAINT users_place EXCLUDE USING btree (position WITH =) WHERE (position > 0) DEFERRABLE INITIALLY IMMEDIATE;
--> statement-breakpoint
INSERT INTO waitlist_state (id, joined, credits) VALUES (1, 0, 0);
--> statement-breakpoint
-- What ranks and totals are summed from, kept by statement-level triggers: by count, and within a count by bucket of 1024 credits.
CREATE FUNCTION tally_leaderboards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, count(*) FROM added WHERE referral_count > 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, last_credit / 1024, count(*) FROM added WHERE referral_count > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, -count(*) FROM removed WHERE referral_count > 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, last_credit / 1024, -count(*) FROM removed WHERE referral_count > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  ELSE
    INSERT INTO leaderboard_tallies AS t (period, referral_count, members)
      SELECT period, referral_count, sum(n) FROM (
        SELECT period, referral_count, 1 AS n FROM added UNION ALL SELECT period, referral_count, -1 FROM removed
      ) changes WHERE referral_count > 0 GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2
      ON CONFLICT (period, referral_count) DO UPDATE SET members = t.members + excluded.members;
    INSERT INTO leaderboard_ties AS t (period, referral_count, bucket, members)
      SELECT period, referral_count, bucket, sum(n) FROM (
        SELECT period, referral_count, last_credit / 1024 AS bucket, 1 AS n FROM added
        UNION ALL SELECT period, referral_count, last_credit / 1024, -1 FROM removed
      ) changes WHERE referral_count > 0 GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3
      ON CONFLICT (period, referral_count, bucket) DO UPDATE SET members = t.members + excluded.members;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER referral_counts_tallied_insert AFTER INSERT ON referral_counts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_leaderboards();
--> statement-breakpoint
CREATE TRIGGER referral_counts_tallied_delete AFTER DELETE ON referral_counts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_leaderboards();
--> statement-breakpoint
CREATE TRIGGER referral_counts_tallied_update AFTER UPDATE ON referral_counts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_leaderboards();
