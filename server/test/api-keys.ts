import { sql } from 'drizzle-orm'
import { apiKeys } from '../src/domains/platform/api-keys/tables.ts'
import { matching, type Writer } from './matching.ts'

type Key = typeof apiKeys.$inferInsert

/** Inserts API keys that have no scopes and that no caller can use. @returns the keys' ids */
export async function insertApiKeys(
  { db }: Writer,
  workspaceId: string,
  createdBy: string,
  names: readonly string[],
): Promise<string[]> {
  const key = { workspaceId, createdBy, start: 'xa_live_abcd', scopes: [] }
  const rows = names.map((name): Key => ({ ...key, name, keyHash: `a-secret of ${name} in ${workspaceId}` }))
  const added = await db.insert(apiKeys).values(rows).returning()
  return added.map(({ id }) => id)
}

/** Lets an API key expire now. */
export async function expireApiKey({ db }: Writer, id: string): Promise<void> {
  await db.update(apiKeys).set({ expiresAt: sql`now()` }).where(matching(apiKeys, { id }))
}

/** Removes all scopes of an API key, so it may call nothing. */
export async function clearScopes({ db }: Writer, id: string): Promise<void> {
  await db.update(apiKeys).set({ scopes: [] }).where(matching(apiKeys, { id }))
}
