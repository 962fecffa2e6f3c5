import { eq, sql } from 'drizzle-orm'
import { XError } from '../../outside/x-errors.ts'
import { linkedAccountOf } from '../messages/accounts.ts'
import { withAccount } from '../neighbors.ts'
import { leads } from '../tables/leads.ts'
import { learnHandles } from './identity.ts'

type Needs = Parameters<typeof withAccount>[0]

/** People per run. */
const FIND_MAX = 500

/** Looks up, once each, the new handles of leads whose handle another person has taken. X charges for each. */
export async function findLostHandles(needs: Needs): Promise<void> {
  const { db } = needs.database
  const { rows } = await db.execute<{ id: string; xUserId: string; workspaceId: string; accountId: string }>(sql`
    select l.id, l.x_user_id as "xUserId", l.workspace_id as "workspaceId", a.id as "accountId" from leads l
    join x_accounts a on a.id = ${linkedAccountOf(sql`l.workspace_id`)} and a.status = 'connected'
    where l.handle_lost_at is not null and coalesce(l.x_user_checked_at < l.handle_lost_at, true)
    order by l.workspace_id, l.id limit ${FIND_MAX}`)
  for (const { id, xUserId, workspaceId, accountId } of rows) {
    try {
      const user = await withAccount(needs, accountId, (x, token) => x.findUserById(token, xUserId)).catch(
        nullIfSuspended,
      )
      if (user) await learnHandles(db, workspaceId, [user])
      else await db.update(leads).set({ xUserCheckedAt: new Date() }).where(eq(leads.id, id))
    } catch (error) {
      // The next try is in an hour.
      if (!(error instanceof XError)) throw error
    }
  }
}

/** Returns null for people that X does not find, such as suspended ones. @throws other errors */
function nullIfSuspended(error: unknown): null {
  if (error instanceof XError && error.kind === 'not-found') return null
  throw error
}
