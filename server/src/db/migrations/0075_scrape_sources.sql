ALTER TABLE "scrapes" ALTER COLUMN "read_price_cents" SET DATA TYPE double precision;--> statement-breakpoint
ALTER TABLE "scrapes" ALTER COLUMN "twitter_handle" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "post_url" text;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "list_url" text;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "handles" jsonb;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "bins" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "scrapes" ADD COLUMN "cut_bins" integer[] DEFAULT '{}' NOT NULL;