import type { InputOf } from '@x-automated/contract/contract'
import { SNIPPETS_MAX } from '@x-automated/contract/outreach/snippets'
import { and, asc, eq, sql } from 'drizzle-orm'
import { type Actor, requireAuthor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { withUniqueViolationAs } from '../../../db/unique-violation.ts'
import { Refusal } from '../../../refusal.ts'
import { snippets } from './tables.ts'

const own = (actor: Actor, id: string) => and(eq(snippets.workspaceId, actor.workspaceId), eq(snippets.id, id))

export async function list(db: Db, actor: Actor) {
  const rows = await db
    .select()
    .from(snippets)
    .where(eq(snippets.workspaceId, actor.workspaceId))
    .orderBy(asc(sql`lower(${snippets.shortcut})`))
  return { snippets: rows }
}

/** @throws Refusal SNIPPET_EXISTS, TOO_MANY */
export async function create(db: Db, actor: Actor, input: InputOf<'snippets', 'create'>) {
  return withUniqueViolationAs(db, 'SNIPPET_EXISTS', async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('snippets of ' || ${actor.workspaceId}, 0))`)
    const count = await tx.$count(snippets, eq(snippets.workspaceId, actor.workspaceId))
    if (count >= SNIPPETS_MAX) throw new Refusal('TOO_MANY', `A workspace has at most ${SNIPPETS_MAX} snippets.`)
    const row = { ...input, workspaceId: actor.workspaceId, authorId: actor.userId }
    return one(await tx.insert(snippets).values(row).returning())
  })
}

/** @throws Refusal SNIPPET_NOT_FOUND, SNIPPET_EXISTS; FORBIDDEN: the caller is neither the author nor an admin */
export async function update(db: Db, actor: Actor, { id, ...change }: InputOf<'snippets', 'update'>) {
  return withUniqueViolationAs(db, 'SNIPPET_EXISTS', async (tx) => {
    await requireOwn(tx, actor, id)
    return one(
      await tx
        .update(snippets)
        .set({ ...change, updatedAt: new Date() })
        .where(own(actor, id))
        .returning(),
    )
  })
}

/** @throws Refusal SNIPPET_NOT_FOUND; FORBIDDEN: the caller is neither the author nor an admin */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireOwn(tx, actor, id)
    await tx.delete(snippets).where(own(actor, id))
  })
}

async function requireOwn(tx: Db, actor: Actor, id: string): Promise<void> {
  const [row] = await tx.select({ authorId: snippets.authorId }).from(snippets).where(own(actor, id)).for('update')
  if (!row) throw new Refusal('SNIPPET_NOT_FOUND')
  requireAuthor(actor, row.authorId, 'snippet')
}
