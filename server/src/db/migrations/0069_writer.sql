CREATE TABLE "writer_abouts" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "writer_member_usage" (
	"workspace_id" uuid NOT NULL,
	"month" date NOT NULL,
	"payer" text NOT NULL,
	"user_id" uuid NOT NULL,
	"tokens" bigint NOT NULL,
	"microcents" bigint NOT NULL,
	CONSTRAINT "writer_member_usage_workspace_id_month_payer_user_id_pk" PRIMARY KEY("workspace_id","month","payer","user_id")
);
--> statement-breakpoint
CREATE TABLE "writer_opinions" (
	"workspace_id" uuid NOT NULL,
	"reply_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "writer_opinions_workspace_id_reply_id_pk" PRIMARY KEY("workspace_id","reply_id")
);
--> statement-breakpoint
CREATE TABLE "writer_providers" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"base_url" text,
	"model" text NOT NULL,
	"sealed_key" text,
	"key_ending" text,
	"input_price" double precision,
	"output_price" double precision,
	"budget_cents" bigint,
	"budget_tokens" bigint,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "writer_usage" (
	"workspace_id" uuid NOT NULL,
	"month" date NOT NULL,
	"payer" text NOT NULL,
	"tokens" bigint NOT NULL,
	"microcents" bigint NOT NULL,
	CONSTRAINT "writer_usage_workspace_id_month_payer_pk" PRIMARY KEY("workspace_id","month","payer")
);
--> statement-breakpoint
ALTER TABLE "writer_abouts" ADD CONSTRAINT "writer_abouts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "writer_member_usage" ADD CONSTRAINT "writer_member_usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "writer_opinions" ADD CONSTRAINT "writer_opinions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "writer_providers" ADD CONSTRAINT "writer_providers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "writer_usage" ADD CONSTRAINT "writer_usage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "writer_opinions_oldest" ON "writer_opinions" USING btree ("created_at");