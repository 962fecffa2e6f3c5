import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { XHappening } from '../../outside/x-delivery.ts'
import { storeHandle } from '../neighbors.ts'
import { learnHandlesFor, type XPerson } from '../people/identity.ts'

/** Learns people's current handles from events. @param ofApp limits it to accounts of this app */
export async function learnFromEvents(
  db: Db,
  happenings: readonly XHappening[],
  ofApp: string | null = null,
): Promise<void> {
  const people = new Map<string, XPerson>()
  for (const happening of happenings) {
    if (happening.kind === 'handle') await storeHandle(db, happening, ofApp)
    const seenAt = 'at' in happening && happening.at ? { seenAt: happening.at } : {}
    for (const [id, handle] of Object.entries(happening.handles)) {
      const before = people.get(id)?.seenAt
      if (!before || !seenAt.seenAt || before <= seenAt.seenAt) people.set(id, { id, handle, ...seenAt })
    }
  }
  const isTheirs = sql`
    a.x_user_id = any(${sql.param([...people.keys()])}::text[])
    and (${ofApp}::uuid is null or a.x_app_id = ${ofApp}::uuid)`
  await learnHandlesFor(db, isTheirs, [...people.values()])
}
