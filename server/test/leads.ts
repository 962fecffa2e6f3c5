import { eq, sql } from 'drizzle-orm'
import type { IncomingLead } from '../src/core/people/columns.ts'
import { upsertLeads } from '../src/core/people/stage.ts'
import { leads } from '../src/core/tables/leads.ts'
import { transact } from '../src/db/transact.ts'
import type { LeadRow } from '../src/domains/leads/leads/service.ts'
import type { Person } from './makers.ts'
import type { TestApp } from './open-app.ts'

type GivenLead = Partial<IncomingLead> & { dmStatus?: LeadRow['dmStatus'] }

let count = 0

/**
 * Creates leads in the person's workspace, as an import does, then sets `dmStatus`.
 * Returns them in the given order.
 */
export async function makeLeads(
  app: Pick<TestApp, 'db'>,
  person: Person,
  input: readonly GivenLead[] | number = 1,
): Promise<LeadRow[]> {
  const wanted = typeof input === 'number' ? Array.from({ length: input }, (): GivenLead => ({})) : input
  const people = wanted.map(({ dmStatus, ...lead }) => {
    count += 1
    return { ...NOBODY, name: `Lead ${count}`, twitterHandle: `handle_${count}`, ...lead }
  })
  const owner = { workspaceId: person.workspaceId, userId: person.id }
  await transact(app.db, (tx) => upsertLeads(tx, owner, people, 'parts'))
  for (const status of new Set(wanted.flatMap(({ dmStatus }) => dmStatus ?? []))) {
    const handles = people.filter((_, index) => wanted[index]?.dmStatus === status).map((lead) => lead.twitterHandle)
    await transact(app.db, (tx) =>
      tx
        .update(leads)
        .set({ dmStatus: status })
        .where(sql`workspace_id = ${person.workspaceId} and twitter_handle = any(${sql.param(handles)}::text[])`),
    )
  }
  const rows = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
  const byHandle = new Map(rows.map((row) => [row.twitterHandle, row]))
  return people.map((lead) => byHandle.get(lead.twitterHandle) as LeadRow)
}

const NOBODY: Omit<IncomingLead, 'twitterHandle'> = {
  xUserId: null,
  name: null,
  bio: null,
  followerCount: null,
  followingCount: null,
  sourceProfile: null,
  url: null,
  profileImageUrl: null,
  location: null,
  website: null,
  metadata: null,
}
