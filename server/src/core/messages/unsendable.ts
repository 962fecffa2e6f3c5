import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { pauseForPlaceholder, shownLeftover } from '../campaigns/pause.ts'
import { type Answer, claim, type Scope, type Unsendable } from './claim.ts'
import { LEAD_MISSING, recordOutcome } from './record.ts'
import { release } from './release.ts'
import type { Sender } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'
import { skipMessage } from './stop.ts'

/**
 * Claims the next message that can be sent, and ends those before it that cannot, all in the
 * caller's transaction. Every sender claims here.
 */
export async function claimSendable(tx: Db, env: SendingEnv, sender: Sender, scope: Scope | 'due'): Promise<Answer> {
  let result = await claim(tx, env, sender, scope)
  while (result.kind === 'unsendable') {
    await end(tx, result)
    result = await claim(tx, env, sender, scope, result)
  }
  return result
}

/** Ends a message that can never be sent as it is. A placeholder in a campaign's message pauses the campaign. */
async function end(tx: Db, unsendable: Unsendable): Promise<void> {
  const { id, why } = unsendable
  if (why === 'stopped') await skipMessage(tx, id, { reason: unsendable.reason })
  else if (why === 'no lead') await recordOutcome(tx, unsendable, { wasSent: false, reason: LEAD_MISSING })
  else {
    const { lease, leftover, campaignId, locked } = unsendable
    const { workspaceId, account } = locked
    await release(tx, sql`id = ${id} and lease = ${lease}`)
    if (campaignId)
      await pauseForPlaceholder(tx, { workspaceId, campaignId, xAccountId: account?.id ?? null }, leftover)
    else await skipMessage(tx, id, { reason: { code: 'placeholder', params: { written: shownLeftover(leftover) } } })
  }
}
