import { sql } from 'drizzle-orm'
import { transact } from '../../../db/transact.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { Services } from '../../../services.ts'
import { alarmOfFunds, findReturned, finishReturn, markFundsReturned, takeTries } from '../x-costs/funds.ts'
import { BeyondLimit } from '../x-costs/meter.ts'
import { isSpendingLimited } from '../x-costs/tables.ts'
import { withAccount } from './tokens.ts'

/** How many accounts of an app a try goes through: X may have ended the connection of one. */
const ACCOUNTS_TRIED = 3

type Needs = Pick<
  Services,
  'database' | 'x' | 'xApps' | 'xMeters' | 'xWork' | 'sealer' | 'outbox' | 'origin' | 'env' | 'log'
>

/** Notifies people about apps without credits, tries these apps once an hour, and resumes what waited for them. */
export async function watchFunds(needs: Needs): Promise<void> {
  const { db } = needs.database
  await alarmOfFunds({ ...needs, db })
  for (const appId of await takeTries(db))
    if (await hasFunds(needs, appId)) {
      needs.log.warn({ xAppId: appId }, 'the X app has credits again')
      await markFundsReturned(db, appId)
    }
  for (const { id, workspaceIds } of await findReturned(db)) {
    for (const workspaceId of workspaceIds) await transact(db, (tx) => needs.xWork.resume(tx, workspaceId))
    await finishReturn(db, id)
  }
}

/** Whether X accepts a call of the app. If it does, the call costs a cent, which may exceed a workspace's limit. */
async function hasFunds(needs: Needs, appId: string): Promise<boolean> {
  const { rows } = await needs.database.db.execute<{ id: string }>(sql`
    select id from x_accounts where x_app_id = ${appId} and status = 'connected'
    order by ${isSpendingLimited(sql`x_accounts.workspace_id`)}, last_connected_at desc nulls last
    limit ${ACCOUNTS_TRIED}`)
  for (const { id } of rows) {
    try {
      await withAccount(needs, id, (x, token) => x.findMe(token), { isTry: true })
      return true
    } catch (error) {
      if (!(error instanceof XError)) throw error
      if (error.kind === 'funds' && !(error instanceof BeyondLimit)) return false
    }
  }
  return false
}
