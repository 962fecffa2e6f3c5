import { eq, inArray, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { expect } from 'vitest'
import type { IncomingLead } from '../src/core/people/columns.ts'
import { addEntries, deleteLinks, deleteEntries as deletingEntries } from '../src/core/people/counts.ts'
import { identifySuppressions, SHOWN } from '../src/core/people/identity.ts'
import { countedLead, countLeads, deleteLeads as deletingLeads, setLeadStatus } from '../src/core/people/lead-counts.ts'
import { upsertLeads } from '../src/core/people/stage.ts'
import { leadBytes, leadCounts, leads, leadTags } from '../src/core/tables/leads.ts'
import { leadListItems } from '../src/core/tables/list-entries.ts'
import { leadReads } from '../src/core/tables/replies.ts'
import { transact } from '../src/db/transact.ts'
import type { LeadRow } from '../src/domains/leads/leads/leads.ts'
import type { Person } from './makers.ts'
import { matching, type Which, type Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'

type Leads = Which<typeof leads>
type Change = PgUpdateSetSource<typeof leads>

type LeadInput = Partial<IncomingLead> & { dmStatus?: LeadRow['dmStatus'] }

let count = 0

/**
 * Creates leads in the person's workspace, as an import does, then sets `dmStatus`.
 * Returns them in the given order.
 */
export async function makeLeads(
  app: Pick<TestApp, 'db'>,
  person: Person,
  input: readonly LeadInput[] | number = 1,
): Promise<LeadRow[]> {
  const wanted = typeof input === 'number' ? Array.from({ length: input }, (): LeadInput => ({})) : input
  const people = wanted.map(({ dmStatus, ...lead }) => {
    count += 1
    return { ...NOBODY, name: `Lead ${count}`, twitterHandle: `handle_${count}`, ...lead }
  })
  const owner = { workspaceId: person.workspaceId, userId: person.id }
  await transact(app.db, (tx) => upsertLeads(tx, owner, people, 'parts'))
  for (const status of new Set(wanted.flatMap(({ dmStatus }) => dmStatus ?? []))) {
    const handles = people.filter((_, index) => wanted[index]?.dmStatus === status).map((lead) => lead.twitterHandle)
    const which = sql`workspace_id = ${person.workspaceId} and twitter_handle = any(${sql.param(handles)}::text[])`
    await transact(app.db, (tx) => setLeadStatus(tx, which, status))
  }
  const rows = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
  const byHandle = new Map(rows.map((row) => [row.twitterHandle, row]))
  return people.map((lead) => byHandle.get(lead.twitterHandle) as LeadRow)
}

/** Checks the counts and the order of every workspace's leads by status. */
export async function expectLeadCountsRight({ db }: Pick<TestApp, 'db'>): Promise<void> {
  const counted = sql`select workspace_id, dm_status, count from lead_counts where count <> 0`
  const actual = sql`select workspace_id, dm_status, count(*) from leads group by 1, 2`
  const ordered = sql`select workspace_id, standing, created_at, lead_id from lead_standings`
  const inOrder = sql`select workspace_id, standing_of(dm_status), created_at, id from leads`
  const { rows } = await db.execute(sql`
    select * from ((${counted} except ${actual}) union all (${actual} except ${counted})) counts
    full join ((${ordered} except ${inOrder}) union all (${inOrder} except ${ordered})) standings on false`)
  expect(rows).toEqual([])
}

/** Checks the counts of a workspace's suppressions, list entries, tagged leads and scraped leads. */
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

/** Records that the leads replied at `repliedAt`. */
export async function recordReply(to: Writer, which: Leads, repliedAt = new Date(), more: Change = {}): Promise<void> {
  await change(to, which, { repliedAt, ...more })
}

/** Sets the leads' contact status, as their messages would. */
export async function setStatus(
  to: Writer,
  which: Leads,
  dmStatus: LeadRow['dmStatus'],
  more: Change = {},
): Promise<void> {
  await change(to, which, { dmStatus, ...more })
}

/** Records that the leads were messaged at `contactedBeforeAt`, before they became leads. */
export async function recordPastContact(to: Writer, which: Leads, contactedBeforeAt = new Date()): Promise<void> {
  await change(to, which, { contactedBeforeAt })
}

/** Sets when a campaign last claimed a message to the leads; null: never. */
export async function recordClaim(
  to: Writer,
  which: Leads,
  lastClaimedAt: Date | null = new Date(),
  more: Change = {},
): Promise<void> {
  await change(to, which, { lastClaimedAt, ...more })
}

/** Sets the leads' X id, as confirmed by X; null makes it unknown again. */
export async function identifyLeads(to: Writer, which: Leads, xUserId: string | null): Promise<void> {
  if (xUserId === null) return void (await change(to, which, { xUserId, xUserCheckedAt: null }))
  await to.db.execute(sql`
    with shown as (
      update leads
      set x_user_id = ${xUserId}, x_user_checked_at = now()
      where ${matching(leads, which)}
      returning ${SHOWN}
    )
    ${identifySuppressions(sql`shown`)}`)
}

/** Sets the leads' X id as an imported file claims it, without confirmation from X. */
export async function claimIdentity(to: Writer, which: Leads, xUserId: string): Promise<void> {
  await change(to, which, { xUserId })
}

/** Changes the leads' stored profiles, as if their profiles on X had changed and been read. */
export async function editProfiles(
  to: Writer,
  which: Leads,
  profile: Pick<Change, 'name' | 'twitterHandle' | 'bio' | 'followerCount' | 'profileImageUrl' | 'metadata'>,
): Promise<LeadRow[]> {
  return change(to, which, profile)
}

/** Records that the leads asked to be contacted. */
export async function recordRequest(to: Writer, which: Leads): Promise<void> {
  await change(to, which, { basis: 'asked', basisAt: new Date() })
}

/** Records that X refuses messages from this X user to the leads. */
export async function closeTo(to: Writer, which: Leads, closedTo: string): Promise<void> {
  await change(to, which, { closedTo })
}

/** Sets when the leads were added. */
export async function addedAt(to: Writer, which: Leads, createdAt: Change['createdAt']): Promise<void> {
  await change(to, which, { createdAt })
}

/** Inserts leads without the checks of an import. */
export async function insertLeads({ db }: Writer, rows: (typeof leads.$inferInsert)[]): Promise<string[]> {
  const { rows: added } = await db.execute<{ id: string }>(sql`
    with added as ${db.insert(leads).values(rows).returning()}, ${countLeads({ after: 'added' })}
    select id from added`)
  return added.map(({ id }) => id)
}

/** Deletes the leads. */
export async function deleteLeads({ db }: Writer, which: Leads): Promise<void> {
  await deleteLinks(db, sql`select id from leads where ${matching(leads, which)}`)
  await deletingLeads(db, matching(leads, which) ?? sql`true`)
}

/** Puts the leads on a list. */
export async function addToList({ db }: Writer, leadListId: string, leadIds: readonly string[]): Promise<void> {
  await db.execute(sql`
    ${addEntries(sql`select ${leadListId}::uuid, id, 'pending', now() from unnest(${sql.param(leadIds)}::uuid[]) id`)}
    select count(*) from added`)
}

/** Takes these entries off their lists. */
export async function deleteEntries({ db }: Writer, which: Which<typeof leadListItems>): Promise<void> {
  await db.execute(sql`
    ${deletingEntries(sql`${matching(leadListItems, which)}`)}
    select count(*) from deleted`)
}

async function change({ db }: Writer, which: Leads, set: Change): Promise<LeadRow[]> {
  const changes = db.update(leads).set(set).where(sql`id in (select id from old)`).returning()
  const { rows: changed } = await db.execute<{ id: string }>(sql`
    with old as (
      select ${countedLead()}
      from leads
      where ${matching(leads, which) ?? sql`true`}
      order by id
      for no key update
    ), changed as ${changes}, ${countLeads({ before: 'old', after: 'changed' })}
    select id from changed`)
  const ids = changed.map(({ id }) => id)
  if (set.createdAt !== undefined)
    await db.execute(sql`
      update lead_standings s
      set created_at = l.created_at
      from leads l
      where l.id = any(${sql.param(ids)}::uuid[]) and s.workspace_id = l.workspace_id and s.lead_id = l.id`)
  return db.select().from(leads).where(inArray(leads.id, ids)).orderBy(leads.id)
}

/** Sets each of a workspace's lead counts to this number, without adding leads. */
export async function pretendLeads({ db }: Writer, { workspaceId }: { workspaceId: string }, count: number) {
  await db.update(leadCounts).set({ count }).where(matching(leadCounts, { workspaceId }))
}

/** Sets the counted bytes of a workspace's leads, without adding leads. */
export async function pretendBytes({ db }: Writer, { workspaceId }: { workspaceId: string }, bytes: number) {
  await db.update(leadBytes).set({ bytes }).where(matching(leadBytes, { workspaceId }))
}

/** Sets when leads were tagged. */
export async function setTaggedAt({ db }: Writer, which: Which<typeof leadTags>, addedAt: Change['createdAt']) {
  await db.update(leadTags).set({ addedAt }).where(matching(leadTags, which))
}

/** Records that a lead has now read the messages of an X account. */
export async function readLead({ db }: Writer, leadId: string, accountXUserId: string): Promise<void> {
  await db.insert(leadReads).values({ leadId, accountXUserId, readAt: new Date() })
}

/** Adds a new lead to the staging table of an import, which the transaction must have created. */
export async function stageLead({ db }: Writer, twitterHandle: string, name: string): Promise<void> {
  await db.execute(sql`
    insert into incoming_leads (line, twitter_handle, name, is_new) values (1, ${twitterHandle}, ${name}, true)`)
}
