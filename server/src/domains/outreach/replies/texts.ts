import type { InputOf } from '@x-automated/contract/contract'
import { KEEP_TEXTS_DAYS } from '@x-automated/contract/outreach/replies'
import { eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { countMissingTexts, startReadingBack } from '../../../core/replies/missing-texts.ts'
import { deleteTexts } from '../../../core/replies/texts.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { X_PRICES } from '../../../outside/x-prices.ts'
import type { Services } from '../../../services.ts'
import { findOwn, saveConsent, show } from '../../platform/x-account/x-account.ts'
import { removeOffersOf } from '../conversation-offers/offers.ts'
import { conversationSettings } from './tables.ts'

/**
 * Stores a decision about an X account's conversations; without consent, deletes their texts.
 * @throws Refusal X_ACCOUNT_NOT_FOUND, FORBIDDEN
 */
export async function consent(
  { db, jobs }: Pick<Services, 'jobs'> & { db: Db },
  actor: Actor,
  { readsBack = false, ...input }: InputOf<'xAccount', 'consent'>,
) {
  return transact(db, async (tx) => {
    await allowLongStatements(tx)
    // Messages are locked before their account.
    await saveConsent(tx, actor, input, (accountXUserId) => deleteTexts(tx, actor, input.id, accountXUserId))
    if (!input.offersUnknownSenders) await removeOffersOf(tx, actor, input.id)
    if (readsBack && input.storesConversations) await startReadingBack(tx, jobs, input.id)
    return show(tx, actor, input.id)
  })
}

/** Counts the messages whose text X still has and the workspace does not. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function findMissingTexts(
  { db, x }: Pick<Services, 'x'> & { db: Db },
  actor: Actor,
  { id }: InputOf<'xAccount', 'missingTexts'>,
) {
  const { listed, ...counts } = await countMissingTexts(db, await findOwn(db, actor, id))
  return {
    ...counts,
    costCents: x && x.readPriceCents > 0 ? Math.ceil((listed * X_PRICES.dm_event) / 10) : null,
  }
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
