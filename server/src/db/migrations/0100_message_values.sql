-- Names and custom columns are stored as they go into messages (contract/src/message-value.ts): as one line, without
-- marks that change how it is read, and without words that say that there is no value.
CREATE FUNCTION pg_temp.message_value(written text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN line ~* '^([-\u2010-\u2015\u2212_.]+|[([<]?(null|undefined|none|#?n/a)[])>]?)$' OR line ~ '^(NA|NaN|nan)$' THEN '' ELSE line END
  FROM (SELECT regexp_replace(written, '[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g')) visible (words),
    LATERAL (SELECT btrim(CASE WHEN words ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'
      THEN regexp_replace(regexp_replace(words, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g'), ' +', ' ', 'g') ELSE words END, E' \u00a0')) lines (line)
$$;
--> statement-breakpoint
UPDATE "leads" SET "name" = pg_temp.message_value("name")
WHERE "name" ~* '^\s*([-\u2010-\u2015\u2212_.]+|[([<]?(null|undefined|none|#?n/a)[])>]?|na|nan)\s*$|[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]'
  AND "name" <> pg_temp.message_value("name");
--> statement-breakpoint
-- The first condition is there for speed: it finds the rows that may have such a text, where JSON escapes control characters.
UPDATE "leads" l SET "metadata" = clean.metadata
FROM (SELECT id, metadata FROM "leads"
  WHERE metadata::text ~* '": "\s*([-\u2010-\u2015\u2212_.]+|[([<]?(null|undefined|none|#?n/a)[])>]?|na|nan)?\s*"|\\[a-z]|[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]'
    AND jsonb_typeof(metadata) = 'object') o, LATERAL (
  SELECT coalesce(jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN 'string' THEN to_jsonb(pg_temp.message_value(value #>> '{}')) ELSE value END)
    FILTER (WHERE jsonb_typeof(value) <> 'string' OR pg_temp.message_value(value #>> '{}') <> ''), '{}') AS metadata
  FROM jsonb_each(o.metadata)
) clean
WHERE l.id = o.id AND clean.metadata <> o.metadata;
--> statement-breakpoint
DROP FUNCTION pg_temp.message_value(text);
