import { namedProblem } from './problems.ts'

/**
 * X's prices in cents (docs.x.com, "Pay per use", August 2026). Everything else is free or has no
 * published price.
 */
const CENTS = {
  user: 1,
  send: 1.5,
  dmEvent: 1,
  'dm.received': 1,
  'chat.received': 1,
  'post.reply.create': 0.5,
  'post.mention.create': 0.5,
  'follow.follow': 1,
  'profile.update.handle': 0.5,
} as const

type Resource = keyof typeof CENTS
type Account = { cents: number | null; day: string; charged: Set<string>; spent: Map<Resource, number> }

/**
 * Counts what calls and deliveries cost each app. X charges for a resource once per UTC day. With
 * `cents: null`, an app never runs out of credits.
 */
export function createCredits(now: () => number) {
  const accounts = new Map<string, Account>()

  function accountOf(appId: string): Account {
    const account = accounts.get(appId) ?? { cents: null, day: '', charged: new Set(), spent: new Map() }
    accounts.set(appId, account)
    const day = new Date(now()).toISOString().slice(0, 10)
    if (day !== account.day) Object.assign(account, { day, charged: new Set() })
    return account
  }

  return {
    /** @throws a 402 if the app has no credits */
    require(appId: string) {
      const { cents } = accountOf(appId)
      if (cents !== null && cents <= 0) throw namedProblem('credits')
    },
    /** Charges for resources that were read, sent or delivered, by id. Other kinds are free. */
    charge(appId: string, resource: string, ids: readonly string[]) {
      if (!(resource in CENTS) || ids.length === 0) return
      const account = accountOf(appId)
      const kind = resource as Resource
      for (const id of ids) {
        const key = `${kind} ${id}`
        if (account.charged.has(key)) continue
        account.charged.add(key)
        account.spent.set(kind, (account.spent.get(kind) ?? 0) + 1)
        if (account.cents !== null) account.cents = Math.max(0, account.cents - CENTS[kind])
      }
    },
    /** Sets an app's remaining credits, and resets what it has spent. */
    set(appId: string, cents: number | null) {
      accounts.delete(appId)
      accountOf(appId).cents = cents
    },
    /** Returns an app's remaining and spent credits in cents, and how many resources of each kind were charged. */
    of(appId: string) {
      const { cents, spent } = accountOf(appId)
      const spentCents = [...spent].reduce((sum, [kind, count]) => sum + CENTS[kind] * count, 0)
      return { cents, spentCents, charged: Object.fromEntries(spent) }
    },
  }
}

export type Credits = ReturnType<typeof createCredits>
