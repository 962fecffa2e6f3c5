import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { publishEvents } from '../neighbors.ts'
import { conversationDrafts } from '../tables/conversations.ts'

/** Saves the caller's draft. An empty text deletes it. @throws Refusal CONVERSATION_NOT_FOUND */
export async function saveDraft(db: Db, actor: Actor, { id, text }: InputOf<'conversations', 'saveDraft'>) {
  return transact(db, async (tx) => {
    // Lock the conversation: otherwise its draft is left behind if it is deleted or merged at the
    // same time.
    const { rows } = await tx.execute(
      sql`select from conversations where workspace_id = ${actor.workspaceId} and id = ${id} for share`,
    )
    if (rows.length === 0) throw new Refusal('CONVERSATION_NOT_FOUND')
    if (text.trim() === '') {
      await deleteDraft(tx, actor, id)
      return { draft: null }
    }
    const { workspaceId, userId } = actor
    const saved = await tx
      .insert(conversationDrafts)
      .values({ workspaceId, conversationId: id, userId, text })
      .onConflictDoUpdate({
        target: [conversationDrafts.workspaceId, conversationDrafts.conversationId, conversationDrafts.userId],
        set: { text, updatedAt: sql`now()` },
      })
      .returning({
        text: conversationDrafts.text,
        updatedAt: conversationDrafts.updatedAt,
        isNew: sql<boolean>`xmax = 0`,
      })
    const { isNew, ...draft } = one(saved)
    if (isNew) await publishEvents(tx, workspaceId, 'conversation', [id])
    return { draft }
  })
}

/** Deletes all drafts of a user. */
export async function deleteDraftsOf(tx: Db, userId: string): Promise<void> {
  await tx.delete(conversationDrafts).where(eq(conversationDrafts.userId, userId))
}

/** Deletes the caller's draft, if there is one. */
export async function deleteDraft(db: Db, { workspaceId, userId }: Actor, conversationId: string): Promise<void> {
  const { workspaceId: workspace, conversationId: conversation, userId: author } = conversationDrafts
  const { rowCount } = await db
    .delete(conversationDrafts)
    .where(and(eq(workspace, workspaceId), eq(conversation, conversationId), eq(author, userId)))
  if (rowCount) await publishEvents(db, workspaceId, 'conversation', [conversationId])
}
