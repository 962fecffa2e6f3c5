import type { InputOf } from '@x-automated/contract/contract'
import { refusalText } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { publishEvents } from '../../platform/events/service.ts'
import { claimAnswer } from '../sending/claim.ts'
import { type NowContext, sendByHand } from '../sending/send.ts'
import { findNewer, findRow, findSent } from './service.ts'
import { conversationDrafts } from './tables.ts'

/** Sends an answer while its author waits. @throws Refusal as the contract declares */
export async function answer(
  context: NowContext,
  actor: Actor,
  { id, text, afterMessageId }: InputOf<'conversations', 'answer'>,
  signal?: AbortSignal,
) {
  const row = await findRow(context.db, actor, id)
  if (row.conversation.isEncrypted) throw new Refusal('LEAD_STATE', ENCRYPTED)
  const changed = async (db: Db) => {
    const newer = await findNewer(db, actor, row, afterMessageId)
    return newer.length === 0 ? null : new Refusal('CONVERSATION_CHANGED', undefined, { details: newer })
  }
  const check = async (tx: Db) => {
    const refusal = await changed(tx)
    if (refusal) throw refusal
  }
  try {
    return await sendByHand(
      context,
      actor,
      {
        claim: (db, holder, keep) => claimAnswer(db, context.env, actor, { ...row, text, check }, holder, keep),
        async resultOf(db, dmId) {
          await deleteDraft(db, actor, id)
          return findSent(db, actor, row, dmId)
        },
        // A reply may have come after the check.
        refusalOf: async (db, reason) => (await changed(db)) ?? new Refusal('LEAD_STATE', refusalText(reason)),
      },
      signal,
    )
  } catch (error) {
    // It may have arrived: its draft would invite a second one.
    if (error instanceof Refusal && error.code === 'DM_UNSETTLED') await deleteDraft(context.database.db, actor, id)
    throw error
  }
}

const ENCRYPTED = 'X keeps this conversation encrypted: open it on X.'

/** Saves the caller's draft. An empty text deletes it. @throws Refusal CONVERSATION_NOT_FOUND */
export async function saveDraft(db: Db, actor: Actor, { id, text }: InputOf<'conversations', 'saveDraft'>) {
  return transact(db, async (tx) => {
    // Not while it is deleted or merged, or the draft would be left behind.
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

async function deleteDraft(db: Db, { workspaceId, userId }: Actor, conversationId: string): Promise<void> {
  const { workspaceId: workspace, conversationId: conversation, userId: author } = conversationDrafts
  const { rowCount } = await db
    .delete(conversationDrafts)
    .where(and(eq(workspace, workspaceId), eq(conversation, conversationId), eq(author, userId)))
  if (rowCount) await publishEvents(db, workspaceId, 'conversation', [conversationId])
}
