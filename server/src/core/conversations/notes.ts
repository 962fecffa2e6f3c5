import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, sql } from 'drizzle-orm'
import { type Actor, requireAuthor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { conversationNotes, conversations } from '../tables/conversations.ts'

/** A note as stored. */
export type Note = typeof conversationNotes.$inferSelect

const own = (actor: Actor, id: string) =>
  and(eq(conversationNotes.workspaceId, actor.workspaceId), eq(conversationNotes.id, id))

/** Creates a note. @throws Refusal CONVERSATION_NOT_FOUND */
export async function createNote(db: Db, actor: Actor, { id, text }: InputOf<'notes', 'create'>): Promise<Note> {
  const { workspaceId, userId } = actor
  return transact(db, async (tx) => {
    // Lock the lead first, in the same order as its deletion. A merge of duplicate leads then
    // waits, and moves the note.
    await tx.execute(sql`
      select
      from leads l
      where l.id = (select lead_id from conversations where workspace_id = ${workspaceId} and id = ${id})
      for key share`)
    const [conversation] = await tx
      .select({ leadId: conversations.leadId })
      .from(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), eq(conversations.id, id)))
      .for('share')
    if (!conversation) throw new Refusal('CONVERSATION_NOT_FOUND')
    const row = { workspaceId, conversationId: id, leadId: conversation.leadId, text, authorId: userId }
    return one(await tx.insert(conversationNotes).values(row).returning())
  })
}

/** Edits a note. @throws Refusal NOTE_NOT_FOUND; FORBIDDEN: the caller is neither the author nor an admin */
export async function updateNote(db: Db, actor: Actor, { id, text }: InputOf<'notes', 'update'>): Promise<Note> {
  return db.transaction(async (tx) => {
    await requireOwn(tx, actor, id)
    const change = { text, updatedAt: new Date() }
    return one(await tx.update(conversationNotes).set(change).where(own(actor, id)).returning())
  })
}

/** Deletes a note. @throws Refusal NOTE_NOT_FOUND; FORBIDDEN: the caller is neither the author nor an admin */
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
