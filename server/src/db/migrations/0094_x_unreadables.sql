CREATE TABLE "x_unreadables" (
	"day" date NOT NULL,
	"source" text NOT NULL,
	"name" text NOT NULL,
	"form" text NOT NULL,
	"keys" text[] NOT NULL,
	"count" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "x_unreadables_day_source_name_form_pk" PRIMARY KEY("day","source","name","form")
);
