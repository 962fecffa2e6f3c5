import { DAY_MS } from '@x-automated/contract/time'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { expectCountsRight } from './outreach.ts'
import { type Arrival, DELAYS, INTERVAL_SECONDS, PROTECTION, type World, type Written } from './sending-world.ts'

/*
 * Invariants of a world, checked against the stand-in X's log and the times of the hand-overs.
 * Messages of the simulated queue never reach X, so their rows in the database are used.
 */

/** Maximum time from a claim to the hand-over to X (deliver.ts). */
const HAND_OVER_MS = 3_000
/** Maximum age of a claim at the hand-over: its lease. The cap that applied at the claim counts. */
const CLAIM_MS_MAX = 120_000

type Row = {
  id: string
  campaign: string
  campaignStatus: string
  kind: string
  handle: string
  message: string
  status: string
  holder: string | null
  isHeld: boolean
  outcomeUnknown: boolean
  eventId: string | null
  claimedAt: number
  sentAt: number | null
  /** When the message was queued; for a follow-up, when the lead was enrolled or last requeued by a user. */
  queuedAt: number
  /** The message is held, because the lead's enrollment is paused. */
  isPaused: boolean
  failure: string | null
  leadStatus: string
  /** The X account that the message was claimed for. */
  account: string | null
}

async function rowsOf({ app, person }: World): Promise<Row[]> {
  const { rows } = await app.db.execute<Row>(sql`
    select d.id, c.name as campaign, c.status as "campaignStatus", c.kind, l.twitter_handle as handle, d.message, d.status, d.holder,
      d.lease_expires_at is not null as "isHeld", d.outcome_unknown as "outcomeUnknown", d.x_event_id as "eventId", coalesce(d.error_message, d.reason ->> 'code') as failure,
      (extract(epoch from d.claimed_at) * 1000)::float as "claimedAt", (extract(epoch from d.sent_at) * 1000)::float as "sentAt",
      (extract(epoch from case when d.is_follow_up then (
          select greatest(e.created_at, max(o.requeued_at)) from enrollments e join dms o on o.enrollment_id = e.id where e.id = d.enrollment_id group by e.created_at
        ) else coalesce(d.requeued_at, d.created_at) end) * 1000)::float as "queuedAt", d.is_held as "isPaused", l.dm_status as "leadStatus", a.handle as account
    from dms d join campaigns c on c.id = d.campaign_id join leads l on l.id = d.lead_id left join x_accounts a on a.id = d.x_account_id where d.workspace_id = ${person.workspaceId}`)
  return rows
}

const isSimulated = ({ holder, sentAt }: Row) => holder === 'simulated' && sentAt !== null

/** A message's state between two steps. */
interface Standing {
  id: string
  campaign: string
  /** The campaign's X account. */
  account: string | null
  kind: string
  /** The campaign's position, oldest first. */
  age: number
  /** The campaign is active, and its account or an extension can send. */
  isActive: boolean
  isQueued: boolean
  requeuedAt: string | null
  lease: string | null
  /** Claims by real senders that were not released. */
  attempts: number
  /** Claimed or recorded by the simulated queue. */
  isSimulated: boolean
  isFollowUp: boolean
  /** The message is due, or claimed. */
  isDue: boolean
}

/** Reads the state between two steps, for `expectTurnsKept` and `expectProtected`. */
export async function look(world: World) {
  return { messages: await lookAtMessages(world), rejections: await lookAtRejections(world) }
}
type Looked = Awaited<ReturnType<typeof look>>

async function lookAtMessages({ app, person }: World): Promise<Standing[]> {
  const { rows } = await app.db.execute<Standing & Record<string, unknown>>(sql`
    select d.id, c.name as campaign, c.x_account_id as account, c.kind, (dense_rank() over (order by c.created_at, c.id))::int as age, 
      c.status = 'active' and (c.channel = 'extension' or exists (select from x_accounts a where a.id = c.x_account_id and a.status = 'connected')) as "isActive",
      d.status = 'queued' as "isQueued", d.requeued_at as "requeuedAt", d.lease, d.attempts,
      coalesce(d.holder = 'simulated', false) and d.x_event_id is null as "isSimulated",
      d.is_follow_up as "isFollowUp", d.lease_expires_at is not null or (d.due_at <= now() and not d.is_held) as "isDue"
    from dms d join campaigns c on c.id = d.campaign_id where d.workspace_id = ${person.workspaceId} and d.lead_id is not null`)
  return rows
}

/**
 * Expects that no sender claimed a campaign's first message while an older campaign on the same
 * account had a first message due the whole time.
 */
export function expectTurnsKept({ messages: before }: Looked, { messages: after }: Looked): void {
  const was = new Map(before.map((message) => [message.id, message]))
  const sending = after.filter(({ id, account, kind, isActive, isQueued, isDue, isFollowUp, requeuedAt }) => {
    const then = was.get(id)
    return (
      kind === 'campaign' &&
      account === then?.account &&
      [isActive, isQueued, isDue, then?.isActive, then?.isQueued, then?.isDue, !isFollowUp].every(Boolean) &&
      String(then?.requeuedAt) === String(requeuedAt)
    )
  })
  const oldestOf = (account: string | null) =>
    Math.min(...sending.filter((message) => message.account === account).map(({ age }) => age))
  // Settling a message or finding it at X after a restore also changes its lease, but is not an
  // attempt.
  const isClaimed = ({ id, lease, attempts, isSimulated }: Standing) =>
    attempts > (was.get(id)?.attempts ?? 0) || (isSimulated && lease !== was.get(id)?.lease)
  const outOfTurn = after.filter(
    (message) =>
      message.kind === 'campaign' &&
      !message.isFollowUp &&
      (was.get(message.id)?.account ?? message.account) === message.account &&
      message.age > oldestOf(message.account) &&
      isClaimed(message),
  )
  expect(outOfTurn, 'claimed while an older campaign on the account was being sent').toEqual([])
}

/** Refusals by X and opt-outs among a campaign's last messages from an account. */
interface Rejections {
  campaign: string
  account: string
  isActive: boolean
  watchedFrom: string | null
  refused: number
  sent: number
  optedOut: number
}

async function lookAtRejections({ app, person }: World): Promise<Rejections[]> {
  const last = (count: number, which: string) => sql`(
    select * from dms where campaign_id = c.id and x_account_id = a.id and claimed_at >= coalesce(c.watched_from, '-infinity') and ${sql.raw(which)}
    order by claimed_at desc limit ${count}) d`
  const { rows } = await app.db.execute<Rejections & Record<string, unknown>>(sql`
    select c.name as campaign, a.handle as account, c.status = 'active' as "isActive", c.watched_from::text as "watchedFrom",
      (select count(*)::int from ${last(50, "status <> 'queued'")} where refusal = 'refused') as refused,
      (select count(*)::int from ${last(100, 'sent_at is not null')}) as sent,
      (select count(*)::int from ${last(100, 'sent_at is not null')} where exists (select from replies r where r.dm_id = d.id and r.opted_out)) as "optedOut"
    from campaigns c join x_accounts a on a.workspace_id = c.workspace_id where c.workspace_id = ${person.workspaceId} and c.kind = 'campaign'`)
  return rows
}

/** Expects that no campaign stays active after too many refusals or opt-outs. */
export function expectProtected({ rejections: before }: Looked, { rejections: after }: Looked): void {
  for (const now of after) {
    const then = before.find(({ campaign, account }) => campaign === now.campaign && account === now.account)
    if (!now.isActive || then?.watchedFrom !== now.watchedFrom) continue
    const isRefused = now.refused > then.refused && now.refused * 100 >= PROTECTION.refusalPercent * 50
    const isRejected = now.optedOut > then.optedOut && then.sent >= 50 && now.optedOut >= PROTECTION.optOutsPerHundred
    expect(isRefused || isRejected ? now : null, `${now.campaign} is active after too many rejections`).toBe(null)
  }
}

/** Returns the source and the step of a text. The source is the campaign's name, `By hand` or `Queued`. */
function stepOf(text: string): { source: string; step: number } {
  const source = /^([ABC]) to/.exec(text)?.[1] ?? (text.startsWith('By hand') ? 'By hand' : 'Queued')
  return { source, step: Number(/^[ABC] to \S+, (\d)/.exec(text)?.[1] ?? 1) }
}

/** Expects each step of a campaign at most once, in order, from one account, and not before its delay. */
function expectInOrder(
  theirs: readonly { from: string | null; text: string; at: number; source: string; step: number }[],
  source: string,
): void {
  const own = theirs.filter((message) => message.source === source)
  for (const [i, message] of own.slice(1).entries()) {
    const before = own[i] as (typeof own)[number]
    expect(message.step, `the step of ${message.text} after ${before.text}`).toBeGreaterThan(before.step)
    expect(message.from, `the account of ${message.text}`).toBe(before.from)
    const minutes = DELAYS[source as keyof typeof DELAYS]?.[message.step - 2] ?? 0
    expect(message.at - before.at, `milliseconds from ${before.text} to ${message.text}`).toBeGreaterThanOrEqual(
      minutes * 60_000 - HAND_OVER_MS,
    )
  }
}

/** Expects that an account's daily cap and sending interval were kept. */
function expectLimitsKept(world: World, account: string, arrivals: readonly Arrival[], rows: readonly Row[]): void {
  const byTime = arrivals.filter(({ from }) => from === account).toSorted((a, b) => a.handedAt - b.handedAt)
  // The simulated queue keeps the cap but no interval. It can stall between the claim, which counts, and the outcome.
  const simulated = rows
    .filter((row) => isSimulated(row) && row.account === account)
    .map(({ claimedAt, message }) => ({ handedAt: claimedAt, text: message }))
  const counted = [...byTime, ...simulated].toSorted((a, b) => a.handedAt - b.handedAt)
  for (const [i, { handedAt, text }] of counted.entries()) {
    const inDay = counted.slice(0, i + 1).filter((arrival) => arrival.handedAt > handedAt - DAY_MS + HAND_OVER_MS)
    const caps = world.caps.filter(
      ({ at }, n) => at <= handedAt && (world.caps[n + 1]?.at ?? Number.POSITIVE_INFINITY) > handedAt - CLAIM_MS_MAX,
    )
    expect(inDay.length, `messages in the 24 hours up to ${text}`).toBeLessThanOrEqual(
      Math.max(...caps.map(({ cap }) => cap)),
    )
  }
  const atPace = byTime.filter(({ text }) => !text.startsWith('By hand'))
  for (const [i, arrival] of atPace.slice(1).entries()) {
    const before = atPace[i] as (typeof atPace)[number]
    expect(
      arrival.handedAt - before.handedAt,
      `milliseconds between ${before.text} and ${arrival.text}`,
    ).toBeGreaterThanOrEqual(INTERVAL_SECONDS * 1_000 - HAND_OVER_MS)
  }
}

/** How long after X has shown a reply a worker or an extension may still send a follow-up. */
const BLIND_MS = { api: 90_000, extension: 150_000 }

/** A sent follow-up, and its recipient's earlier replies. */
interface FollowUp {
  message: Arrival
  limitMs: number
  /** Replies to the account since the campaign's first message, and since a user last resumed the recipient. */
  answers: Written[]
}

function followUpsOf(world: World, arrivals: readonly Arrival[]): FollowUp[] {
  const byTime = arrivals.toSorted((a, b) => a.handedAt - b.handedAt)
  return byTime.flatMap((message): FollowUp[] => {
    const { source, step } = stepOf(message.text)
    const isSame = ({ to, from, text }: Arrival) =>
      to === message.to && from === message.from && stepOf(text).source === source
    const first = byTime.find(isSame)
    if (step === 1 || !first) return []
    const replies = world.written.filter(
      ({ handle, to, at, isMessage, ...event }) =>
        isMessage &&
        !isAutomatic(event) &&
        handle === message.to &&
        to === message.from &&
        at > first.at &&
        at < message.handedAt &&
        at > (world.resumed.get(handle) ?? 0),
    )
    return [{ message, limitMs: message.byExtension ? BLIND_MS.extension : BLIND_MS.api, answers: replies }]
  })
}

/**
 * Expects that no follow-up reaches someone who replied or opted out more than 90 seconds earlier
 * (150 for extensions), in X Chat or not, even if X did not deliver the reply.
 */
function expectNoneBlind(world: World, arrivals: readonly Arrival[]): void {
  for (const { message, limitMs, answers: replies } of followUpsOf(world, arrivals)) {
    const overlooked = replies.filter(({ at }) => at < message.handedAt - limitMs)
    expect(overlooked, `what ${message.to} answered before ${message.text}`).toEqual([])
  }
}

/** Counts what `expectNoneBlind` has checked. */
export async function countFollowUps(world: World): Promise<void> {
  const { tally, written } = world
  const arrivals = await world.arrivals()
  const followUps = followUpsOf(world, arrivals)
  tally['follow-ups'] += followUps.length
  tally['follow-ups within the limit after a reply'] += followUps.filter(
    ({ answers: replies }) => replies.length > 0,
  ).length
  tally['first messages after a reply'] += arrivals.filter(
    (arrival) =>
      /^[ABC] to/.test(arrival.text) &&
      stepOf(arrival.text).step === 1 &&
      written.some(
        ({ handle, to, isMessage, at, ...words }) =>
          handle === arrival.to &&
          isMessage &&
          !isAutomatic(words) &&
          at < arrival.handedAt - BLIND_MS.extension &&
          arrivals.some((before) => before.to === handle && before.from === to && before.at < at),
      ),
  ).length
  const { rows } = await world.app.db.execute<{ handle: string }>(sql`
    select distinct l.twitter_handle as handle from replies r join leads l on l.id = r.lead_id where r.workspace_id = ${world.person.workspaceId}`)
  tally['people whose reply nothing delivered'] += new Set(
    rows
      .map(({ handle }) => handle)
      .filter((handle) => written.some((event) => event.handle === handle && event.delivery === 'lost')),
  ).size
}

/** An automatic reply. If the product can read it, it does not end the sequence. */
const AUTOMATIC = 'I am out of office'
const isAutomatic = ({ text, isChat }: Pick<Written, 'text' | 'isChat'>) => text === AUTOMATIC && !isChat

/** Invariants that apply at all times. */
export async function expectPromisesKept(world: World): Promise<void> {
  const arrivals = await world.arrivals()
  const rows = await rowsOf(world)

  const written = [
    ...arrivals.map(({ from, to, text, handedAt }) => ({ from, to, text, at: handedAt })),
    // The simulated queue can stall between the claim and the outcome, so the time of the claim counts.
    ...rows
      .filter(isSimulated)
      .map(({ account, handle, message, claimedAt }) => ({ from: account, to: handle, text: message, at: claimedAt })),
  ]
    .map((message) => ({ ...message, ...stepOf(message.text) }))
    .sort((a, b) => a.at - b.at)
  for (const person of new Set(written.map(({ to }) => to))) {
    const theirs = written.filter(({ to }) => to === person)
    const sources = new Set(theirs.map(({ source }) => source).filter((source) => source !== 'B'))
    expect(sources.size, `sources of messages to ${person}`).toBeLessThanOrEqual(1)
    // After a restore, B may repeat what a launch sent after the backup, which is now stored as direct messages.
    const lost = rows.filter(({ kind, handle }) => kind === 'direct' && handle === person).map(({ message }) => message)
    const isKnown = ({ source, text }: (typeof theirs)[number]) => source !== 'B' || !lost.includes(text)
    const own = theirs.filter(isKnown)
    for (const source of new Set(own.map((message) => message.source))) expectInOrder(own, source)
    for (const [i, current] of theirs.slice(1).entries()) {
      const before = theirs[i] as (typeof theirs)[number]
      if (current.source === before.source || current.source === 'By hand') continue
      expect(current.at - before.at, `milliseconds from ${before.text} to ${current.text}`).toBeGreaterThanOrEqual(
        DAY_MS - HAND_OVER_MS,
      )
    }
  }

  for (const { name, closedAt } of world.campaigns) {
    if (closedAt === null) continue
    const late = arrivals.filter(
      ({ text, place: position }) => text.startsWith(`${name} to`) && position >= closedAt.place,
    )
    const drawn = rows.filter((row) => row.campaign === name && isSimulated(row) && (row.sentAt ?? 0) > closedAt.at)
    expect([...late, ...drawn], `nothing of ${name} goes out after its pause`).toEqual([])
  }

  for (const [handle, { place: position, queuedBefore, isPermanent }] of world.stopped) {
    const late = arrivals.filter((arrival) => {
      // Match by X id first: after a restore, B may send a text again that was found at X.
      const row =
        rows.find(({ eventId }) => eventId === arrival.id) ?? rows.find(({ message }) => message === arrival.text)
      const queuedAt = row?.queuedAt ?? Number.POSITIVE_INFINITY
      return arrival.to === handle && arrival.place >= position && (isPermanent || queuedAt <= queuedBefore)
    })
    expect(late, `nothing goes to ${handle} after ${isPermanent ? 'an opt-out' : 'a reply'}`).toEqual([])
  }

  expectNoneBlind(world, arrivals)
  for (const { handle } of world.accounts) expectLimitsKept(world, handle, arrivals, rows)

  await expectCountsRight(world.app)
}

/** Invariants that apply when all work has ended. */
export async function expectNothingLost(world: World): Promise<void> {
  const arrivals = await world.arrivals()
  const rows = await rowsOf(world)
  const campaigns = (await world.client.campaigns.list({})).campaigns
  const { rows: people } = await world.app.db.execute<{ campaign: string; handle: string }>(sql`
    select c.name as campaign, l.twitter_handle as handle from enrollments e join campaigns c on c.id = e.campaign_id join leads l on l.id = e.lead_id
    where e.workspace_id = ${world.person.workspaceId}`)
  for (const { name, list, wish } of world.campaigns) {
    const own = rows.filter(({ campaign }) => campaign === name)
    const enrolled = people.filter(({ campaign }) => campaign === name).map(({ handle }) => handle)
    if (wish !== 'none' && own.length > 0)
      expect(enrolled.toSorted(), `everyone in the list of ${name}`).toEqual(list.handles.toSorted())
    const listed = campaigns.find((candidate) => candidate.name === name)
    const isOver = own.length > 0 && own.every(({ status }) => status !== 'queued') && listed?.openEnrollments === 0
    if (listed?.status !== 'archived') expect(listed?.status === 'completed', `${name} is completed`).toBe(isOver)
  }
  for (const row of rows) {
    const { message, status, campaignStatus } = row
    expect(row.isHeld, `${message} is not claimed`).toBe(false)
    if (campaignStatus !== 'archived' && !row.isPaused) expect(status, message).not.toBe('queued')
    const arrived = arrivals.filter(
      ({ id, text }) => text === message && !rows.some((other) => other !== row && other.eventId === id),
    )
    // After a restore, a campaign may send a text again that was read from X. Messages of extensions have no X id.
    const nameless = rows.filter(
      (other) =>
        other !== row &&
        other.message === message &&
        other.sentAt !== null &&
        other.holder !== 'simulated' &&
        !other.eventId,
    )
    if (row.sentAt !== null && row.holder !== 'simulated') {
      expect(arrived.length, `${message}, which is shown as sent, on X`).toBe(1 + nameless.length)
      if (row.eventId) expect(arrived.map(({ id }) => id)).toContain(row.eventId)
    } else if (!row.outcomeUnknown) {
      // A campaign that is relaunched after a restore has the same text as the lost message, which
      // was read from X into another row.
      const unknown = arrived.filter(({ id }) => !rows.some(({ eventId }) => eventId === id))
      // Someone who replied can be sent the step again.
      expect(unknown.slice(nameless.length), `${message}, which is shown as ${status}, at X`).toEqual([])
    }
    if (status === 'failed') expect(row.failure, message).toBeTruthy()
    // Another campaign's message to the lead may wait for the end of a pause.
    const waits = rows.some(({ handle, isPaused }) => handle === row.handle && isPaused)
    if (row.sentAt !== null) expect(waits ? ['contacted', 'queued'] : ['contacted'], message).toContain(row.leadStatus)
  }
  const { rows: waiting } = await world.app.db.execute(
    sql`select twitter_handle from leads l where workspace_id = ${world.person.workspaceId} and dm_status = 'queued'
      and not exists (select from dms d where d.lead_id = l.id and d.status = 'queued' and d.is_held)`,
  )
  expect(waiting, 'leads that are shown as queued').toEqual([])
  const sentTexts = new Set(
    rows.filter((row) => row.sentAt !== null || row.outcomeUnknown).map(({ message }) => message),
  )
  expect(
    arrivals.filter(({ text }) => !sentTexts.has(text)).map(({ text }) => text),
    'sent, but not shown as sent',
  ).toEqual([])
}

type Enrolled = {
  campaign: string
  handle: string
  state: string
  why: string | null
  /** The last step that was sent. */
  step: number | null
  /** Why the enrollment's message was skipped. */
  skip: string | null
  hasFailed: boolean
}

/**
 * Expects that everyone who was enrolled was sent every step, or stopped for a reason that `isServed`
 * allows. Applies when all work has ended and X is healthy.
 */
export async function expectEveryoneServed(world: World): Promise<void> {
  const { rows } = await world.app.db.execute<Enrolled>(sql`
    select c.name as campaign, l.twitter_handle as handle, e.state, e.reason ->> 'code' as why, e.last_step_number as step,
      e.reason -> 'params' ->> 'skip' as skip, exists (select from dms d where d.enrollment_id = e.id and d.status = 'failed') as "hasFailed"
    from enrollments e join campaigns c on c.id = e.campaign_id join leads l on l.id = e.lead_id
    where e.workspace_id = ${world.person.workspaceId} and c.status in ('active', 'completed')`)
  for (const enrollment of rows) expect(isServed(world, enrollment), JSON.stringify(enrollment)).toBe(true)
}

function isServed(world: World, { campaign, handle, state, why, step, skip, hasFailed }: Enrolled): boolean {
  const own = world.written.filter((event) => event.handle === handle)
  // Anything that the product cannot read counts as a message.
  const hasWritten = own.some((event) => event.isMessage || event.isUnreadable)
  const hasOptedOut = own.some(({ text, isChat }) => text === 'STOP' && !isChat)
  // A restore loses messages that we sent. X still shows them.
  const wasMessaged = world.byHand.has(handle) || world.restores > 0
  switch ([state, why, skip].filter(Boolean).join(' ')) {
    // If a user resumes someone who has replied, the remaining steps may be skipped.
    case 'finished':
      return step === DELAYS[campaign as keyof typeof DELAYS].length + 1 || world.resumed.has(handle)
    case 'replied reply':
    case 'stopped skipped replied':
      return hasWritten
    case 'replied written_by_hand':
    case 'stopped skipped contacted':
      return wasMessaged
    // A direct message that X refused can still be queued when the next part of a launch is.
    case 'stopped skipped queued_elsewhere':
      return world.byHand.has(handle)
    case 'opted_out opt_out':
      return hasOptedOut
    case 'stopped skipped suppressed':
      return hasOptedOut || (world.stopped.get(handle)?.isPermanent ?? false)
    case 'paused auto_reply':
      return own.some(isAutomatic)
    case 'paused person':
    case 'stopped person':
      return true
    case 'paused outcome_unknown':
    case 'failed':
      return hasFailed
    default:
      return false
  }
}
