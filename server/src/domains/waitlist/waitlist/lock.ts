import { sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { waitlistState } from './tables.ts'

/** The waitlist, locked against other changes. */
export interface LockedWaitlist {
  tx: Db
  /** How many places have been assigned. */
  joined: number
  /** The number of the last credit. */
  credits: number
  now: Date
}

/**
 * Runs `work` in a transaction that locks the waitlist, so that positions have no gaps and credits
 * are ordered. Keep it short: all joins wait for it.
 */
export function changeWaitlist<T>(db: Db, work: (waitlist: LockedWaitlist) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const state = { joined: waitlistState.joined, credits: waitlistState.credits, now: sql<string>`clock_timestamp()` }
    const { joined, credits, now } = one(await tx.select(state).from(waitlistState).for('update'))
    const waitlist: LockedWaitlist = { tx, joined, credits, now: new Date(now) }
    const result = await work(waitlist)
    if (waitlist.joined !== joined || waitlist.credits !== credits)
      await tx.update(waitlistState).set({ joined: waitlist.joined, credits: waitlist.credits })
    return result
  })
}
