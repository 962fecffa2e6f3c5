import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { leads } from '../tables/leads.ts'

/** `incoming_leads i`, with the columns that it shares with leads. */
export const incoming = alias(leads, 'i')

/** Creates the connection's temporary table of incoming leads, emptied when the transaction ends. */
export async function openStage(tx: Db): Promise<void> {
  await tx.execute(sql`create temp table if not exists incoming_leads (
    line integer primary key, x_user_id text, twitter_handle text not null, name text, first_name text, first_name_from text,
    bio text, follower_count integer,
    following_count integer,
    source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
    basis text, basis_at timestamptz, basis_source text, tags text[], seen_at timestamptz(3) not null default now(),
    lead_id uuid, is_new boolean not null default false
  ) on commit delete rows`)
}
