import type { InputOf } from '@x-automated/contract/contract'
import { KEEP_TEXTS_DAYS } from '@x-automated/contract/outreach/replies'
import { eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { deleteTexts } from '../../../core/replies/texts.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { saveConsent, show } from '../../platform/x-account/x-account.ts'
import { removeOffersOf } from '../conversation-offers/offers.ts'
import { conversationSettings } from './tables.ts'

/**
 * Stores a decision about an X account's conversations; without consent, deletes their texts.
 * @throws Refusal X_ACCOUNT_NOT_FOUND, FORBIDDEN
 */
export async function consent(db: Db, actor: Actor, input: InputOf<'xAccount', 'consent'>) {
  return transact(db, async (tx) => {
    await allowLongStatements(tx)
    // Messages are locked before their account.
    await saveConsent(tx, actor, input, (accountXUserId) => deleteTexts(tx, actor, input.id, accountXUserId))
    if (!input.offersUnknownSenders) await removeOffersOf(tx, actor, input.id)
    return show(tx, actor, input.id)
  })
}

export async function findSettings(db: Db, actor: Actor) {
  const [row] = await db
    .select()
    .from(conversationSettings)
    .where(eq(conversationSettings.workspaceId, actor.workspaceId))
  return { keepTextsDays: row?.keepTextsDays ?? KEEP_TEXTS_DAYS.default }
}

export async function saveSettings(db: Db, actor: Actor, { keepTextsDays }: InputOf<'replies', 'saveSettings'>) {
  await db
    .insert(conversationSettings)
    .values({ workspaceId: actor.workspaceId, keepTextsDays })
    .onConflictDoUpdate({ target: conversationSettings.workspaceId, set: { keepTextsDays } })
  return { keepTextsDays }
}
