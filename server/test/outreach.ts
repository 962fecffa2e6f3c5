import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Dm } from '@x-automated/contract/outreach/sending'
import { readXUserId } from '@x-automated/contract/x-user-id'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { sql } from 'drizzle-orm'
import { afterEach, expect } from 'vitest'
import type { Claimed } from '../src/core/messages/claim.ts'
import { claimDue } from '../src/core/messages/claim-due.ts'
import { recountMessages } from '../src/core/messages/counts.ts'
import { send, TIMING, type Timing } from '../src/core/messages/deliver.ts'
import { record } from '../src/core/messages/record.ts'
import { addEntries } from '../src/core/people/counts.ts'
import { firstNameColumns } from '../src/core/people/first-names.ts'
import { leads } from '../src/core/tables/leads.ts'
import { ANSWERS, dms } from '../src/core/tables/messages.ts'
import { workers } from '../src/db/tables.ts'
import { leadLists } from '../src/domains/leads/lists/tables.ts'
import { campaignDrafts } from '../src/domains/outreach/campaign-drafts/tables.ts'
import { startSender } from '../src/jobs/sender.ts'
import type { Services } from '../src/services.ts'
import { expectLeadCountsRight, insertLeads } from './leads.ts'
import { connectX, makePerson, type Person, subscribe } from './makers.ts'
import type { TestApp } from './open-app.ts'

export interface SomeList {
  id: string
  leadIds: string[]
  handles: string[]
}

/** Handles of people at the stand-in X who accept messages and never reply. */
export function openHandles(count: number): string[] {
  const handles: string[] = []
  while (handles.length < count) {
    const handle = `open_${Math.random().toString(36).slice(2, 9)}`
    // One id in a few hundred looks as if a spreadsheet had rounded it, so imports reject it.
    if ('id' in readXUserId(idOfHandle(handle))) handles.push(handle)
  }
  return handles
}

/** Creates a list with leads of these handles, with known X ids unless `unknownIds`. */
export async function makeList(
  app: TestApp,
  person: Person,
  handles: string[],
  options: { names?: string[]; metadata?: Record<string, unknown>[]; unknownIds?: boolean } = {},
): Promise<SomeList> {
  const [list] = await app.db
    .insert(leadLists)
    .values({ workspaceId: person.workspaceId, userId: person.id, name: `List of ${handles.length}` })
    .returning()
  if (handles.length === 0) return { id: list!.id, leadIds: [], handles }
  const leadIds = await insertLeads(
    app,
    handles.map((twitterHandle, i) => {
      const name = options.names?.[i] ?? `Lead ${i + 1}`
      const metadata = options.metadata?.[i] ?? {}
      return {
        workspaceId: person.workspaceId,
        userId: person.id,
        name,
        twitterHandle,
        metadata,
        ...firstNameColumns({ name, twitterHandle, metadata }),
        ...(options.unknownIds ? {} : { xUserId: idOfHandle(twitterHandle), xUserCheckedAt: new Date() }),
      }
    }),
  )
  const entries = sql`
    select ${list!.id}::uuid, id, 'pending', to_timestamp(1700000000 + place)
    from unnest(${sql.param(leadIds)}::uuid[]) with ordinality as given(id, place)`
  await app.db.execute(sql`${addEntries(entries)} select count(*) from added`)
  return { id: list!.id, leadIds, handles }
}

/** Sending limits that allow sending at any time, for `saveLimits`. */
export const ALL_DAY = {
  timeZone: 'UTC',
  workDays: [1, 2, 3, 4, 5, 6, 7],
  hours: null,
  dailyCap: null,
  warmUp: false,
  pauseSeconds: null,
}

type Input = Partial<Parameters<Person['client']['campaigns']['create']>[0]>

/** Creates a paused campaign on the list. */
export function makeCampaign(person: Person, list: SomeList, input: Input = {}): Promise<Campaign> {
  return person.client.campaigns.create({
    name: 'Spring',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}, I follow {twitter_handle}.',
    status: 'paused',
    ...input,
  })
}

/** Creates and launches a campaign on the list. */
export async function launch(person: Person, list: SomeList, input: Input = {}): Promise<Campaign> {
  const campaign = await makeCampaign(person, list, input)
  await person.client.campaigns.queue({ id: campaign.id })
  return person.client.campaigns.find({ id: campaign.id })
}

/** Pauses or archives a campaign without waiting for its claimed messages to be recorded. */
export async function stopNow(person: Person, id: string, status: 'paused' | 'archived'): Promise<void> {
  const answered = person.client.campaigns.update({ id, status })
  const stopped = eventually(async () => (await person.client.campaigns.find({ id })).status === status, status)
  await Promise.race([answered, stopped])
}

export async function dmsOf(person: Person, campaignId: string): Promise<Dm[]> {
  return (await person.client.campaigns.dms({ id: campaignId, pageSize: 100 })).dms
}

/** Messages delivered at the stand-in X, in order. */
export async function arrived(app: TestApp, to?: string): Promise<{ from: string; to: string; text: string }[]> {
  const response = await fetch(`${app.x.url}/_log/dms${to ? `?to=${to}` : ''}`)
  return (await response.json()) as { from: string; to: string; text: string }[]
}

/** Replaces the faults of the stand-in X. */
export async function setFaults(app: TestApp, ...faults: object[]): Promise<void> {
  const response = await fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
  expect(response.status).toBe(200)
}

export const SENDS = { method: 'POST', path: '/2/dm_conversations/with/*/messages' }
export const READS = { method: 'GET', path: '/2/dm_conversations/with/*/dm_events' }

/** Waits until `check` returns something truthy. @param ms long enough for a busy machine */
export async function eventually<T>(check: () => Promise<T> | T, what: string, ms = 60_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value as NonNullable<T>
    if (Date.now() > end) throw new Error(`timed out after ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits until a statement on the app's database is blocked by a lock. */
export function waitForBlockedStatement({ db }: TestApp): Promise<boolean> {
  return eventually(async () => {
    const { rows } = await db.execute(
      sql`select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
    )
    return rows.length > 0
  }, 'a statement waits for a lock')
}

export function completed(person: Person, campaignId: string, ms?: number): Promise<Campaign> {
  return eventually(
    async () => {
      const campaign: Campaign = await person.client.campaigns.find({ id: campaignId })
      return campaign.status === 'completed' ? campaign : null
    },
    'the campaign completes',
    ms,
  )
}

/** Checks every campaign's counts against its messages and enrollments. */
export async function expectCountsRight(app: TestApp): Promise<void> {
  const { rows } = await app.db.execute(sql`
    select c.id, c.dms_queued_count, c.dms_sent_count, c.dms_failed_count, c.dms_delivered_count, c.dms_replied_count, c.firsts_queued_count, c.open_enrollments,
      c.people_messaged, c.people_replied, c.people_positive, d.*
    from campaigns c cross join lateral (
      select count(*) filter (where status = 'queued') as queued,
        count(*) filter (where status in ('sent', 'delivered', 'replied')) as sent,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status in ('delivered', 'replied')) as delivered,
        count(*) filter (where status = 'replied') as replied,
        count(*) filter (where status = 'queued' and not is_follow_up and not is_held) as firsts,
        count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null) as messaged,
        count(*) filter (where sent_at is not null and step = 0 and person_answers & ${ANSWERS.replied} > 0) as answered,
        count(*) filter (where sent_at is not null and step = 0 and person_answers & ${ANSWERS.positive} > 0) as positive,
        (select count(*) from enrollments e where e.workspace_id = c.workspace_id and e.campaign_id = c.id and e.state in ('active', 'paused')) as open
      from ${dms} where campaign_id = c.id
    ) d
    where (c.dms_queued_count, c.dms_sent_count, c.dms_failed_count, c.dms_delivered_count, c.dms_replied_count, c.firsts_queued_count, c.open_enrollments,
        c.people_messaged, c.people_replied, c.people_positive)
      is distinct from (d.queued, d.sent, d.failed, d.delivered, d.replied, d.firsts, d.open, d.messaged, d.answered, d.positive)`)
  expect(rows).toEqual([])
  await expectActivityRight(app)
  await expectOpenerCountsRight(app)
  await expectConversationCountsRight(app)
  await expectLeadCountsRight(app)
}

/** Checks the counts of every workspace's conversations against the conversations. */
async function expectConversationCountsRight(app: TestApp): Promise<void> {
  const { rows } = await app.db.execute(sql`
    select * from (
      select workspace_id, count(*) filter (where status = 'open') as open, count(*) filter (where is_unread and status = 'open') as unread,
        count(*) filter (where status = 'snoozed') as snoozed from conversations group by 1
    ) found full join conversation_counts counted using (workspace_id)
    where (coalesce(found.open, 0), coalesce(found.unread, 0), coalesce(found.snoozed, 0)) is distinct from (counted.open, counted.unread, counted.snoozed)
      and (counted.workspace_id is not null or (found.open, found.unread, found.snoozed) <> (0, 0, 0))`)
  expect(rows).toEqual([])
}

/** Checks the counts of every campaign's openers against the openers. */
export async function expectOpenerCountsRight(app: TestApp): Promise<void> {
  const { rows } = await app.db.execute(sql`
    select * from (
      select workspace_id, campaign_id, count(*) filter (where status = 'draft') as draft, count(*) filter (where status = 'approved') as approved,
        count(*) filter (where status = 'failed') as failed from openers group by 1, 2
    ) found full join opener_counts counted using (workspace_id, campaign_id)
    where (coalesce(found.draft, 0), coalesce(found.approved, 0), coalesce(found.failed, 0))
      is distinct from (counted.draft, counted.approved, counted.failed)`)
  expect(rows).toEqual([])
}

/** Checks the figures by quarter of an hour against the messages. */
async function expectActivityRight(app: TestApp): Promise<void> {
  const figures = sql`sum(sent)::int as sent, sum(delivered)::int as delivered, sum(replied)::int as replied, sum(failed)::int as failed, sum(skipped)::int as skipped,
    sum(answered)::int as answered, sum(positive)::int as positive, sum(opted_out)::int as opted_out, sum(people)::int as people,
    sum(people_replied)::int as people_replied, sum(people_positive)::int as people_positive, sum(people_opted_out)::int as people_opted_out`
  const has = (column: string, bit: number) => sql`(${sql.raw(column)} & ${sql.raw(String(bit))} > 0)`
  const { rows } = await app.db.execute(sql`
    select campaign_id, slot, variant_id, x_account_id, user_id, ${figures} from (
      select campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied, failed, skipped, answered, positive, opted_out,
        people, people_replied, people_positive, people_opted_out from dm_activity
      union all
      select campaign_id, activity_slot(coalesce(sent_at, created_at)), coalesce(variant_id, none), coalesce(x_account_id, none), coalesce(user_id, none),
        -is_sent::int, -(status in ('delivered', 'replied'))::int, -(status = 'replied')::int, -(status = 'failed')::int, -(status = 'failed' and reason is not null)::int,
        -(is_sent and ${has('answers', ANSWERS.replied)})::int, -(is_sent and ${has('answers', ANSWERS.positive)})::int, -(is_sent and ${has('answers', ANSWERS.optedOut)})::int,
        -is_first::int, -(is_first and ${has('person_answers', ANSWERS.replied)})::int, -(is_first and ${has('person_answers', ANSWERS.positive)})::int,
        -(is_first and ${has('person_answers', ANSWERS.optedOut)})::int
      from (
        select *, '00000000-0000-0000-0000-000000000000'::uuid as none, sent_at is not null as is_sent,
          sent_at is not null and step = 0 and enrollment_id is not null as is_first from ${dms}
      ) d where is_sent or status = 'failed'
    ) counted
    group by 1, 2, 3, 4, 5
    having (sum(sent), sum(delivered), sum(replied), sum(failed), sum(skipped), sum(answered), sum(positive), sum(opted_out), sum(people),
      sum(people_replied), sum(people_positive), sum(people_opted_out)) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`)
  expect(rows).toEqual([])
}

/**
 * Starts sending processes on the app's database. After each test, stops them and checks all
 * counts.
 */
export function openSenders(app: () => TestApp) {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()))
    await setFaults(app())
    await expectCountsRight(app())
  })

  return {
    /** Starts a sender that settles unknown outcomes quickly enough for a test. @returns how to close it */
    async start(services: Partial<Services> = {}, timing: Partial<Timing> = {}): Promise<() => Promise<void>> {
      const sender = await startSender(
        { ...app().services, ...services },
        {
          timing: { absentAfterMs: 200, absentAgainMs: 200, ...timing },
        },
      )
      let closed: Promise<void> | null = null
      const close = () => {
        closed ??= sender.close()
        return closed
      }
      closing.push(close)
      return close
    },
    /** Returns options that give a process another sending interval. */
    withInterval: (sendIntervalSeconds: number) => ({ env: { ...app().services.env, sendIntervalSeconds } }),
    async connected(
      options?: Parameters<typeof connectX>[3],
    ): Promise<{ person: Person; account: { id: string; handle: string } }> {
      const person = await makePerson(app())
      // The tests send more messages than the Free plan allows.
      await subscribe(app(), person)
      return { person, account: await connectX(app(), person, undefined, options) }
    },
    /** Returns the messages that the account sent, in order of delivery. */
    arrivedFrom: async (handle: string) => (await arrived(app())).filter(({ from }) => from === handle),
    countClaimed: (campaignId: string) =>
      app().db.$count(dms, sql`campaign_id = ${campaignId} and lease_expires_at is not null`),
  }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Makes reply detection live for every X account, with a last read that counts for a day. */
export async function confirmDetection({ db }: TestApp): Promise<void> {
  await db.execute(sql`
    insert into reply_watches (x_user_id, webhook_id, read_until, next_poll_at)
    select distinct x_user_id, 'test', now() + interval '1 day', now() + interval '1 day' from x_accounts
    on conflict (x_user_id) do update set webhook_id = 'test', read_until = excluded.read_until, next_poll_at = excluded.next_poll_at`)
}

/** Moves everything that a campaign did `hours` hours into the past. */
export async function letPass({ db }: TestApp, campaignId: string, hours: number): Promise<void> {
  const by = sql`make_interval(hours => ${hours})`
  await db.execute(sql`
    update enrollments set last_sent_at = last_sent_at - ${by}, next_at = next_at - ${by}, skipped_at = skipped_at - ${by},
      paused_until = paused_until - ${by}, resumed_at = resumed_at - ${by} where campaign_id = ${campaignId}`)
  await db.execute(sql`update campaigns set follow_up_due_at = follow_up_due_at - ${by} where id = ${campaignId}`)
  await db.execute(sql`
    update dms set sent_at = sent_at - ${by}, claimed_at = claimed_at - ${by}, handed_over_at = handed_over_at - ${by},
      created_at = created_at - ${by}, due_at = due_at - ${by} where campaign_id = ${campaignId}`)
  await recountMessages(db, sql`id = ${campaignId}`)
  await db.execute(sql`
    update leads set last_claimed_at = last_claimed_at - ${by} where last_claimed_campaign_id = ${campaignId}`)
  await db.execute(sql`
    update x_app_claims set claimed_at = claimed_at - ${by} where dm_id in (select id from dms where campaign_id = ${campaignId})`)
}

/** Backdates the last change of all campaign drafts to `days` days ago. */
export async function letDraftsAge({ db }: TestApp, days: number): Promise<void> {
  await db.update(campaignDrafts).set({ updatedAt: sql`now() - make_interval(days => ${days}::int)` })
}

/** Lets everyone be messaged again, as if 24 hours had passed. */
export async function clearLastClaims({ db }: TestApp): Promise<void> {
  await db.update(leads).set({ lastClaimedAt: null, lastClaimedCampaignId: null })
}

/** Claims the next message that is due, as a worker does. @throws Error if no message is due */
export async function claimNext({ db, services }: TestApp): Promise<Claimed> {
  const [worker] = await db.insert(workers).values({}).returning()
  const { claimed } = await claimDue(db, worker!.id, services.env)
  if (!claimed) throw new Error('No message is due.')
  return claimed
}

/** Sends everything that is due now, one message after the other, as a worker does. @returns the texts, in order */
export async function sendDue(app: TestApp): Promise<string[]> {
  const [worker] = await app.db.insert(workers).values({}).returning()
  const texts: string[] = []
  for (;;) {
    const { claimed, isIdle } = await claimDue(app.db, worker!.id, app.services.env)
    if (isIdle) return texts
    if (!claimed) continue
    const verdict = await send(app.services, claimed, TIMING)
    await record(app.db, [{ claimed, verdict, failures: 1 }])
    if (verdict.kind === 'sent') texts.push(claimed.message)
  }
}
