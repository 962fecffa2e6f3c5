import type { InputOf } from '@x-automated/contract/contract'
import { LOOK_PEOPLE_MAX, LOOKS_PER_DAY } from '@x-automated/contract/leads/scrape-limits'
import { lookCents } from '@x-automated/contract/leads/scrape-prices'
import { SOURCE_FIELDS } from '@x-automated/contract/leads/scrapes'
import type { Actor } from '../../../actor.ts'
import { resolveAccount } from '../../../core/messages/accounts.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XUser } from '../../../outside/x-schemas.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { planOf } from '../../platform/billing/plan.ts'
import { unavailable } from '../../platform/x-account/connecting.ts'
import { withAccount } from '../../platform/x-account/tokens.ts'
import { verdict, wholeCount } from './rules.ts'
import { distinct, limitLookUps, requireOffered } from './scrapes.ts'
import { findSource, readSource } from './sources.ts'

/**
 * Reads the first people of a source, and stores nobody. A look that shows nobody does not count.
 * @throws Refusal X_UNAVAILABLE, X_NOT_CONNECTED, X_ACCOUNT_NOT_FOUND, INVALID_INPUT: there is no
 * such source, or X hides it; PLAN_LIMIT: today's looks are used up
 */
export async function look(context: SignedInContext, actor: Actor, input: InputOf<'scrapes', 'look'>) {
  const { x, db, pictures } = context
  const { type, twitterHandle = null, postUrl = null, listUrl = null } = input
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  requireOffered(x, type)
  const account = await resolveAccount(db, actor.workspaceId, input.xAccountId ?? null)
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  const source = { type, twitterHandle, postUrl, listUrl, handles: distinct(input.handles), cursor: null }
  await limitLookUps(context, actor)
  const { looksLeft, refund } = await countLook(context, actor)
  try {
    const users = await withAccount(
      context,
      account.id,
      async (api, token) => {
        const lookup = await findSource(api, token, source, account)
        if ('problem' in lookup) throw invalidField(SOURCE_FIELDS[type], lookup.problem)
        const page = await readSource(api, token, source, lookup.id, LOOK_PEOPLE_MAX)
        return page.users.slice(0, LOOK_PEOPLE_MAX)
      },
      { purpose: 'scrape' },
    )
    if (users.length === 0) await refund()
    return {
      people: users.map((user) => personOf(user, pictures.urlOfSource(user.profileImageUrl))),
      costCents: lookCents(type, users.length, x),
      looksLeft: users.length === 0 ? looksLeft + 1 : looksLeft,
    }
  } catch (error) {
    await refund()
    throw error instanceof XError ? refusalOf(error, source) : error
  }
}

/**
 * Counts a look in the limit of the day. Its key contains the day, so a refund after midnight never
 * adds to the next day's looks. @throws Refusal PLAN_LIMIT
 */
async function countLook({ limits, db }: SignedInContext, { workspaceId }: Actor) {
  const key = `${workspaceId} ${new Date().toISOString().slice(0, 10)}`
  // A refund that fails costs a look, and must not hide why the look failed.
  const refund = () => limits.refund('scrapeLookByWorkspaceAndDay', key).catch(() => {})
  try {
    return { looksLeft: await limits.consume('scrapeLookByWorkspaceAndDay', key), refund }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // Attempts beyond the limit are counted, too, and would use up what later refunds return.
    await refund()
    throw new Refusal('PLAN_LIMIT', USED_UP, {
      details: { limit: LOOKS_PER_DAY, used: LOOKS_PER_DAY, plan: await planOf(db, workspaceId) },
    })
  }
}

const USED_UP = `Today's ${LOOKS_PER_DAY} looks are used up. You can look again after midnight UTC.`

/** The refusal after a failed call. Final answers of X are about the source, as for scrapes. */
function refusalOf(error: XError, source: { type: InputOf<'scrapes', 'look'>['type']; twitterHandle: string | null }) {
  const outcome = verdict(error, { ...source, failures: 0 }, new Date())
  if (outcome.status === 'failed') return invalidField(SOURCE_FIELDS[source.type], outcome.error)
  if (outcome.resumesAt === null) return new Refusal('X_NOT_CONNECTED', undefined, { cause: error })
  if (error.kind !== 'rate-limit') return unavailable(error)
  const retryAfterSeconds = Math.ceil((outcome.resumesAt.getTime() - Date.now()) / 1000)
  return new Refusal('X_UNAVAILABLE', RATE_LIMITED, { retryAfterSeconds, cause: error })
}

const RATE_LIMITED = "X's rate limit is reached. Try again in a few minutes."

function personOf({ name, handle, bio, followerCount }: XUser, pictureUrl: string | null) {
  return { name, twitterHandle: handle, bio, followerCount: wholeCount(followerCount) ?? 0, pictureUrl }
}
