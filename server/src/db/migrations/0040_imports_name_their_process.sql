ALTER TABLE "imports" ADD COLUMN "worker_id" bigint;--> statement-breakpoint
CREATE INDEX "imports_running" ON "imports" USING btree ("worker_id") WHERE status = 'running';