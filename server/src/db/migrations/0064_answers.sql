ALTER TABLE "dms" ADD COLUMN "is_answer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "dms_words" ON "dms" USING gin ("workspace_id", "message" gin_trgm_ops) WHERE is_answer or status = 'replied';
