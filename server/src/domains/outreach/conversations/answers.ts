import type { InputOf } from '@x-automated/contract/contract'
import { readWritten } from '@x-automated/contract/outreach/template'
import { refusalText } from '@x-automated/contract/reason'
import type { Actor } from '../../../actor.ts'
import { deleteDraft } from '../../../core/conversations/drafts.ts'
import { claimAnswer } from '../../../core/messages/claim-direct.ts'
import { type NowContext, sendByHand } from '../../../core/messages/send-now.ts'
import type { Db } from '../../../db/open.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { findNewer, findRow, findSent } from './conversations.ts'

/** Sends an answer while its author waits. @throws Refusal as the contract declares */
export async function answer(
  context: NowContext,
  actor: Actor,
  { id, text, asWritten, afterMessageId }: InputOf<'conversations', 'answer'>,
  signal?: AbortSignal,
) {
  const row = await findRow(context.db, actor, id)
  const variable = asWritten ? undefined : readWritten(text).find(({ segment }) => segment.kind !== 'words')
  if (variable)
    throw invalidField(
      'text',
      `Nothing fills in ${variable.written}. Replace it, or set asWritten to send it as it is.`,
    )
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
        // A reply may have arrived after the check.
        refusalOf: async (db, reason) => (await changed(db)) ?? new Refusal('LEAD_STATE', refusalText(reason)),
      },
      signal,
    )
  } catch (error) {
    // The answer may have arrived. Keeping its draft would invite the author to send it twice.
    if (error instanceof Refusal && error.code === 'DM_UNSETTLED') await deleteDraft(context.database.db, actor, id)
    throw error
  }
}

const ENCRYPTED = 'X keeps this conversation encrypted: open it on X.'
