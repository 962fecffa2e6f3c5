CREATE TABLE "lead_bytes" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "lead_bytes" ADD CONSTRAINT "lead_bytes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- The words of a bio, in one case. Words are cut, because a lexeme has at most 2,046 bytes.
CREATE FUNCTION bio_tokens(bio text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	select coalesce(array_agg(left(lower(upper(token)), 100)), '{}') from regexp_split_to_table(bio, '[^[:alnum:]_]+') token where token <> ''
$$;
--> statement-breakpoint
CREATE FUNCTION bio_words(bio text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	select array_to_tsvector(bio_tokens(bio))
$$;
--> statement-breakpoint
-- Matches at least the bios that have the word; null for a word without letters and digits.
CREATE FUNCTION bio_query(word text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	select string_agg(quote_literal(token), ' & ')::tsquery from unnest(bio_tokens(word)) token
$$;
--> statement-breakpoint
ALTER TABLE leads ADD COLUMN bio_words tsvector GENERATED ALWAYS AS (bio_words(bio)) STORED;
