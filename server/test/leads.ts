import { eq, sql } from 'drizzle-orm'
import { expect } from 'vitest'
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

/** Checks what counts a workspace's suppressions, list entries, taggings and finds of scrapes. */
export async function expectPeopleCountsRight({ db }: Pick<TestApp, 'db'>, { workspaceId }: Person): Promise<void> {
  const { rows } = await db.execute(sql`
    select * from (
      select 'suppressions' as what, w.id, coalesce(c.count, 0) as counted, 0 as contacted,
        (select count(*) from suppressions s where s.workspace_id = w.id) as actual, 0 as actual_contacted
      from workspaces w
      left join suppression_counts c on c.workspace_id = w.id
      where w.id = ${workspaceId}
      union all
      select 'scrape', s.id, coalesce(c.count, 0), 0,
        (select count(*) from scrape_leads f where f.scrape_id = s.id), 0
      from scrapes s
      left join scrape_counts c on c.scrape_id = s.id
      where s.workspace_id = ${workspaceId}
      union all
      select 'tag', t.id, t.lead_count, 0, (select count(*) from lead_tags g where g.tag_id = t.id), 0
      from tags t
      where t.workspace_id = ${workspaceId}
      union all
      select 'list', l.id, l.lead_count, l.contacted_count,
        (select count(*) from lead_list_items i where i.lead_list_id = l.id),
        (select count(*) from lead_list_items i where i.lead_list_id = l.id and i.contact_status = 'contacted')
      from lead_lists l
      where l.workspace_id = ${workspaceId} and l.filter is null
    ) counts
    where (counted, contacted) <> (actual, actual_contacted)`)
  expect(rows).toEqual([])
}

export const NOBODY: Omit<IncomingLead, 'twitterHandle'> = {
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
