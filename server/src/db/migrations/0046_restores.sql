CREATE TABLE "restores" (
	"id" uuid PRIMARY KEY DEFAULT new_id() NOT NULL,
	"backed_up_at" timestamp (3) with time zone NOT NULL,
	"unread_until" timestamp (3) with time zone NOT NULL
);
