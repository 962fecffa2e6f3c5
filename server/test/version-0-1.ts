import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { LAST_OF_VERSION_0_1, MIGRATIONS } from '../src/db/migrate.ts'

/** Turns an empty database into one of version 0.1: its schema, and the end of its journal of 106 migrations. */
export async function createVersion01(client: pg.ClientBase, lastHash = LAST_OF_VERSION_0_1): Promise<void> {
  await client.query(await readFile(`${MIGRATIONS}/0001_initial.sql`, 'utf8'))
  await client.query('create schema drizzle')
  await client.query(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  await client.query(
    'insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, 1795912382075), ($2, 1795921613810)',
    ['of 0104_people_who_wait', lastHash],
  )
}
