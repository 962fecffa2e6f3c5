CREATE TABLE "job_changes" (
	"workspace_id" uuid NOT NULL,
	"job_id" uuid NOT NULL,
	"place" uuid NOT NULL,
	"leads" integer NOT NULL,
	"changes" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_changes_workspace_id_job_id_place_pk" PRIMARY KEY("workspace_id","job_id","place")
);
--> statement-breakpoint
ALTER TABLE "lead_removals" ADD COLUMN "job_id" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "undo_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "undoes" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "undone_by" uuid;--> statement-breakpoint
ALTER TABLE "job_changes" ADD CONSTRAINT "job_changes_workspace_id_job_id_jobs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","job_id") REFERENCES "public"."jobs"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_changes_created" ON "job_changes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "jobs_unfinished" ON "jobs" USING btree ("workspace_id") WHERE status in ('queued', 'running');