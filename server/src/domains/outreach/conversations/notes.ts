import type { InputOf } from '@x-automated/contract/contract'
import { and, desc, eq, sql } from 'drizzle-orm'
import { type Actor, requireAuthor } from '../../../actor.ts'
import { conversationNotes, conversations } from '../../../core/tables/conversations.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { DELETED_ACCOUNT, findNames } from '../../identity/people/service.ts'

type Row = typeof conversationNotes.$inferSelect

const own = (actor: Actor, id: string) =>
  and(eq(conversationNotes.workspaceId, actor.workspaceId), eq(conversationNotes.id, id))

/** Notes that a conversation shows. */
const NOTES_MAX = 200

/** The latest notes of a conversation, oldest first. */
export async function notesOf(db: Db, { workspaceId }: Actor, conversationId: string) {
  const rows = await db
    .select()
    .from(conversationNotes)
    .where(and(eq(conversationNotes.workspaceId, workspaceId), eq(conversationNotes.conversationId, conversationId)))
    .orderBy(desc(conversationNotes.createdAt), desc(conversationNotes.id))
    .limit(NOTES_MAX)
  return withAuthors(db, rows.reverse())
}

async function withAuthors(db: Db, rows: readonly Row[]) {
  const names = await findNames(
    db,
    rows.map(({ authorId }) => authorId),
  )
  return rows.map(({ authorId, ...row }) => ({
    ...row,
    author: { id: authorId, name: names.get(authorId) ?? DELETED_ACCOUNT },
  }))
}

/** @throws Refusal CONVERSATION_NOT_FOUND */
export async function createNote(db: Db, actor: Actor, { id, text }: InputOf<'notes', 'create'>) {
  const { workspaceId, userId } = actor
  return transact(db, async (tx) => {
    // The lead first, as its deletion does. Locked, so that a merge of duplicate leads moves the note, too.
    await tx.execute(sql`
      select from leads l where l.id = (select lead_id from conversations where workspace_id = ${workspaceId} and id = ${id}) for key share`)
    const [conversation] = await tx
      .select({ leadId: conversations.leadId })
      .from(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), eq(conversations.id, id)))
      .for('share')
    if (!conversation) throw new Refusal('CONVERSATION_NOT_FOUND')
    const row = { workspaceId, conversationId: id, leadId: conversation.leadId, text, authorId: userId }
    return one(await withAuthors(tx, await tx.insert(conversationNotes).values(row).returning()))
  })
}

/** @throws Refusal NOTE_NOT_FOUND; FORBIDDEN: neither author nor admin */
export async function updateNote(db: Db, actor: Actor, { id, text }: InputOf<'notes', 'update'>) {
  return db.transaction(async (tx) => {
    await requireOwn(tx, actor, id)
    const rows = await tx
      .update(conversationNotes)
      .set({ text, updatedAt: new Date() })
      .where(own(actor, id))
      .returning()
    return one(await withAuthors(tx, rows))
  })
}

/** @throws Refusal NOTE_NOT_FOUND; FORBIDDEN: neither author nor admin */
export async function removeNote(db: Db, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireOwn(tx, actor, id)
    await tx.delete(conversationNotes).where(own(actor, id))
  })
}

async function requireOwn(tx: Db, actor: Actor, id: string): Promise<void> {
  const [row] = await tx
    .select({ authorId: conversationNotes.authorId })
    .from(conversationNotes)
    .where(own(actor, id))
    .for('update')
  if (!row) throw new Refusal('NOTE_NOT_FOUND')
  requireAuthor(actor, row.authorId, 'note')
}
