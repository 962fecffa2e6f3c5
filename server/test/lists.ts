import { eq, sql } from 'drizzle-orm'
import { addEntries } from '../src/core/people/counts.ts'
import { leadLists } from '../src/domains/leads/lists/tables.ts'
import { tags } from '../src/domains/leads/tags/tables.ts'
import type { Writer } from './matching.ts'

type Workspace = { workspaceId: string }

/** Inserts an empty list. @returns its id */
export async function insertList({ db }: Writer, { workspaceId }: Workspace, name = 'l', id?: string): Promise<string> {
  const [list] = await db.insert(leadLists).values({ id, workspaceId, name }).returning()
  return list!.id
}

/** Stores entries of any leads, even of another workspace. */
export async function insertEntries({ db }: Writer, listId: string, leadIds: readonly string[]): Promise<void> {
  const entries = sql`select ${listId}::uuid, id, 'pending', now() from unnest(${sql.param([...leadIds])}::uuid[]) id`
  await db.execute(sql`${addEntries(entries)} select count(*) from added`)
}

/** Sets a smart list's last count, and how many milliseconds counting took. */
export async function setCount({ db }: Writer, id: string, leadCount: number, countMs: number): Promise<void> {
  await db.update(leadLists).set({ leadCount, countMs }).where(eq(leadLists.id, id))
}

/** Makes the last count of a smart list outdated. */
export async function ageCount({ db }: Writer, id: string): Promise<void> {
  await db
    .update(leadLists)
    .set({ countedAt: new Date(0) })
    .where(eq(leadLists.id, id))
}

/** Inserts red tags without leads, in this order. */
export async function insertTags(
  { db }: Writer,
  { workspaceId }: Workspace,
  rows: readonly { id?: string; name: string }[],
): Promise<void> {
  await db.insert(tags).values(rows.map((row) => ({ workspaceId, color: 'red' as const, ...row })))
}

/** Adds to the description of a list. */
export async function describeList({ db }: Writer, id: string, text: string): Promise<void> {
  const description = sql`coalesce(${leadLists.description}, '') || ${text}::text`
  await db.update(leadLists).set({ description }).where(eq(leadLists.id, id))
}
