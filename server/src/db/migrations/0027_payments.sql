CREATE SEQUENCE "public"."payment_read_no" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "paid_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" uuid,
	"claimed_by" text,
	"email" text,
	"customer_id" text NOT NULL,
	"status" text NOT NULL,
	"price_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"level" text NOT NULL,
	"name" text NOT NULL,
	"price_cents" integer NOT NULL,
	"billing_cycle" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"current_period_end" timestamp (3) with time zone NOT NULL,
	"cancel_at_period_end" boolean NOT NULL,
	"trial_end" timestamp (3) with time zone,
	"past_due_since" timestamp (3) with time zone,
	"pay_url" text,
	"ended_at" timestamp (3) with time zone,
	"read_no" bigint NOT NULL,
	"trial_told_at" timestamp (3) with time zone,
	"invited_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_looks" (
	"account_hash" text PRIMARY KEY NOT NULL,
	"events_until" timestamp (3) with time zone NOT NULL,
	"looked_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_webhooks" (
	"url" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plan_prices" (
	"price_id" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"level" text NOT NULL,
	"name" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"currency" text NOT NULL,
	"billing_cycle" text NOT NULL,
	"features" jsonb NOT NULL,
	"active" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "monthly_usage" ADD COLUMN "warned_of" integer;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "level" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "past_due_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "paid_id" text;--> statement-breakpoint
ALTER TABLE "paid_subscriptions" ADD CONSTRAINT "paid_subscriptions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "paid_subscriptions_workspace" ON "paid_subscriptions" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "paid_subscriptions_unclaimed" ON "paid_subscriptions" USING btree ("email") WHERE workspace_id is null and email is not null;--> statement-breakpoint
CREATE INDEX "paid_subscriptions_due" ON "paid_subscriptions" USING btree ("current_period_end") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "payment_events_old" ON "payment_events" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_paid_id_paid_subscriptions_id_fk" FOREIGN KEY ("paid_id") REFERENCES "public"."paid_subscriptions"("id") ON DELETE set null ON UPDATE no action;