import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { StepInput } from '@x-automated/contract/outreach/steps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, inArray, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { queueNextParts } from '../src/core/campaigns/parts.ts'
import { claimDirect } from '../src/core/messages/claim-direct.ts'
import { recountMessages } from '../src/core/messages/counts.ts'
import { send, TIMING } from '../src/core/messages/deliver.ts'
import { requestRead } from '../src/core/messages/schedule.ts'
import { processDeliveries } from '../src/core/replies/deliveries.ts'
import { checkAccount, createWebhookCache, findWatches } from '../src/core/replies/watches.ts'
import { queueFollowUps } from '../src/core/sequences/advance.ts'
import { leads } from '../src/core/tables/leads.ts'
import { transact } from '../src/db/transact.ts'
import { authKeys, authSessions } from '../src/domains/identity/auth/tables.ts'
import { subscriptions } from '../src/domains/platform/billing/tables.ts'
import { watchFunds } from '../src/domains/platform/x-account/funds.ts'
import { XError } from '../src/outside/x-errors.ts'
import { connectX, makePerson, type Person, subscribe } from './makers.ts'
import type { TestApp } from './open-app.ts'
import { ALL_DAY, makeCampaign, makeList, openHandles } from './outreach.ts'
import { type Archive, dropBackup, isOfDisaster } from './sending-disasters.ts'
import { openWorkers } from './sending-workers.ts'
import {
  type FORMS,
  isOutOfFunds,
  setCredits,
  setReadable,
  stir,
  UNREADABLE,
  type WebhookOfTest,
  write,
} from './sending-x.ts'
import { openTestLog } from './test-log.ts'

/*
 * A workspace with three overlapping campaigns and all kinds of senders. They advance step by step,
 * so that tests can interleave failures. Results are read from the stand-in X.
 */

const TEN_YEARS_MS = 10 * 365 * 86_400_000
export const INTERVAL_SECONDS = 60
const MOST_A_DAY = 5
export const LEADS = 12
/** One in this many leads has no X id. */
const UNKNOWN_EVERY = 3
/** A delivery later than this is late: follow-ups may be sent without waiting for it. */
const LATE_DELIVERY_MS = 90_000
/** Part of the alarm that the operator gets when X's credits have run out. */
const NO_CREDITS = 'the X app has no credits left'
/** Number of the latest deliveries that X repeats. */
const REPEATED = 30

/** Minutes between the steps of each campaign. B also messages people whom others have messaged. */
export const DELAYS: Readonly<Record<'A' | 'B' | 'C', readonly number[]>> = { A: [120, 1_500], B: [], C: [90] }

/** Steps whose texts name their campaign and number. */
function stepsOf(name: string, delays: readonly number[], edit = ''): StepInput[] {
  const stepWith = (messageTemplate: string) => ({ variants: [{ messageTemplate }] })
  const followUps = delays.map((amount, index) => ({
    ...stepWith(`${name} to {twitter_handle}, ${index + 2}${edit}`),
    delay: { amount, unit: 'minutes' },
  }))
  return [stepWith(`${name} to {twitter_handle}`), ...followUps] as StepInput[]
}

/** Mishaps that can happen when X gets the next message. */
export const MISHAPS = [
  'late',
  'accepted, no response',
  'trouble',
  'busy',
  'inbox closed',
  'not allowed',
  'away',
  'locked',
] as const
type Mishap = (typeof MISHAPS)[number]
/** A campaign pauses itself after 3 refusals, or after an opt-out among 50 messages. */
export const PROTECTION = { refusalPercent: 5, optOutsPerHundred: 1 }
/** When a "late" message takes effect, after the send. Must be less than X_TIMEOUT_MS. */
const LATE_MS = 14_000

/** A message as the stand-in X reports it. */
export interface Arrival {
  id: string
  from: string
  to: string
  text: string
  at: number
  /** When it was handed to X, which is earlier if X was slow. */
  handedAt: number
  /** Number of messages that had been handed over before this one in this world. */
  place: number
  /** An extension sent it. */
  byExtension: boolean
}

type Mark = Pick<Arrival, 'at' | 'place' | 'byExtension'>

interface ExtensionHand {
  dmId: string
  lease: string
  handle: string
  sendsAs: string
  message: string
  pressed: boolean
}
interface Extension {
  name: string
  hand: ExtensionHand | null
}
export interface CampaignState {
  id: string
  name: string
  list: { handles: string[]; leadIds: string[] }
  /** The last requested status. */
  wish: 'none' | 'active' | 'paused' | 'archived'
  /** A request to pause or archive the campaign that has not returned yet. */
  holding: Promise<void> | null
  /** Number of times that the campaign was launched or resumed. */
  activations: number
  /** When a pause returned, and how many messages had been handed over by then. */
  closedAt: { place: number; at: number } | null
  /** In this step, a user requeued a message or resumed a lead, which reopens a completed campaign. */
  mayReopen: boolean
}

/** A message from a lead, or another event that the lead caused in X Chat. */
export interface Written {
  handle: string
  /** The account that they wrote to. */
  to: string
  at: number
  text: string
  isChat: boolean
  /** Whether it is a message. If X delivers it in an unreadable form, the product must treat it as one anyway. */
  isMessage: boolean
  /** X delivers it in a form that the product cannot read. */
  isUnreadable: boolean
  delivery: 'waits' | 'passed on' | 'lost'
}

/** Events counted across worlds, so that a proof can assert that each occurs. */
const COUNTED = [
  'replies',
  'replies in X Chat',
  'opt-outs',
  'other events in X Chat',
  'deliveries',
  'late deliveries',
  'lost deliveries',
  'repeated deliveries',
  'unreadable deliveries',
  'replays',
  'times that funds ended',
  'calls without funds',
  'failed reads',
  'unreadable conversations',
  'restores',
  'restores with unknown X ids',
  'follow-ups',
  'follow-ups within the limit after a reply',
  'first messages after a reply',
  'people whose reply nothing delivered',
] as const
type Tally = Record<(typeof COUNTED)[number], number>
export const openTally = () => Object.fromEntries(COUNTED.map((what) => [what, 0])) as Tally

export type World = Awaited<ReturnType<typeof openWorld>>

/** Checks every watched account that is due, as the account's job does. */
async function lookAtAll({ db, services }: TestApp): Promise<void> {
  await findWatches(services)
  const { rows } = await db.execute<{ xUserId: string }>(sql`select x_user_id as "xUserId" from reply_watches`)
  for (const { xUserId } of rows) await checkAccount(services, createWebhookCache(services), xUserId)
}

/** Requests a read of an account, and runs it if X allows reads now. */
async function readSoon(app: TestApp, xUserId: string): Promise<void> {
  await requestRead({ db: app.db, jobs: app.services.jobs }, xUserId)
  await lookAtAll(app)
}

export async function openWorld(app: TestApp, webhook: WebhookOfTest, tally: Tally) {
  await deleteEarlierWorlds(app)
  await webhook.reset()
  const { clock } = app
  const person = await makePerson(app)
  await subscribe(app, person)
  const later = new Date(clock.now() + TEN_YEARS_MS)
  await app.db.update(subscriptions).set({ currentPeriodEnd: later })
  await app.db.update(authSessions).set({ expiresAt: later }).where(eq(authSessions.id, person.actor.sessionId))
  // The client's token is signed with this key, and checked again after each restore.
  await app.db.update(authKeys).set({ expiresAt: later })
  const client = await longClient(app, person)
  const other = await connectX(app, { ...person, client })
  const account = await connectX(app, { ...person, client })
  const accounts = [account, other]
  for (const { handle } of accounts) {
    const { accessToken } = await app.services.x!.signInWithPassword(handle, 'long enough')
    await webhook.subscribe(handle, accessToken)
  }
  const handles = openHandles(LEADS)
  const everyone = await makeList(app, person, handles, { names: handles.map((_, i) => `Lead ${i}`) })
  // Some leads have no X id, as if imported from a file.
  await app.db
    .update(leads)
    .set({ xUserId: null, xUserCheckedAt: null })
    .where(
      inArray(
        leads.id,
        everyone.leadIds.filter((_, i) => i % UNKNOWN_EVERY === 1),
      ),
    )
  const campaigns: CampaignState[] = []
  for (const { handle } of accounts)
    await app.db.execute(sql`
      insert into reply_watches (x_user_id, webhook_id, next_check_at, next_poll_at)
      values (${idOfHandle(handle)}, 'proof', ${later.toISOString()}, ${later.toISOString()})
      on conflict (x_user_id) do update set webhook_id = excluded.webhook_id, problem = null`)
  for (const [name, channel, from, to, delays] of [
    ['A', 'api', 0, 5, DELAYS.A],
    ['B', 'api', 3, 9, DELAYS.B],
    ['C', 'extension', 8, 12, DELAYS.C],
  ] as const) {
    const list = { handles: handles.slice(from, to), leadIds: everyone.leadIds.slice(from, to) }
    const { id: listId } = await client.lists.create({ name })
    await client.lists.addLeads({ id: listId, leadIds: list.leadIds })
    const { id } = await makeCampaign(
      { ...person, client },
      { id: listId, ...list },
      {
        name,
        channel,
        messageTemplate: undefined,
        steps: stepsOf(name, delays),
        allowRepeat: name === 'B',
      },
    )
    campaigns.push({ id, name, list, wish: 'none', holding: null, activations: 0, closedAt: null, mayReopen: false })
  }
  let cap = MOST_A_DAY
  for (const { id } of accounts) await client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: id, dailyCap: cap })
  await client.sendingSettings.saveProtection(PROTECTION)

  const { sendMessage, findMe, listMessages, listAllMessages } = app.services.x as NonNullable<typeof app.services.x>
  const mishaps: Mishap[] = []
  const handed = new Map<string, Mark>()
  /** Calls in progress: X may have accepted the message, but its X id is not known yet. */
  const handing = new Set<Promise<unknown>>()
  const underWay: { at: number; arrive(): Promise<unknown>; arriving?: Promise<unknown> }[] = []
  /** Daily caps, each with the time from which it applies. */
  const caps: { at: number; cap: number }[] = [{ at: 0, cap }]
  /**
   * Leads who may no longer be messaged: the number of messages that had been handed over when this
   * was known, whether it is permanent, and whether only a user's action caused it, which a restore
   * may lose.
   */
  const stopped = new Map<string, { place: number; queuedBefore: number; isPermanent: boolean; byHand: boolean }>()
  /** Messages and other events of leads. */
  const written: Written[] = []
  /** When a user last resumed each handle. */
  const resumed = new Map<string, number>()
  /** Number of upcoming reads that X will refuse. */
  let refusedReads = 0
  /** Whether X shows only one message of each conversation. */
  let endsEarly = false
  const simulating: (() => void)[] = []
  const pending: Promise<unknown>[] = []
  const extensions = new Map<string, Extension>()
  let position = 0

  const handOver = (mark: Mark, ...message: Parameters<typeof sendMessage>) => {
    const sending = sendMessage(...message).then((event) => {
      handed.set(event.eventId, mark)
      return event
    })
    handing.add(sending)
    sending.catch((error) => {
      if (isOutOfFunds(error)) tally['calls without funds'] += 1
    })
    return sending.finally(() => handing.delete(sending))
  }
  /** Calls X as a logged-in user whose session survives clock changes. */
  const onThePage = async (sender: string, send: (token: string) => Promise<unknown>) => {
    try {
      return await send(await tokenFor(app, webhook, sender))
    } catch (error) {
      if (!(error instanceof XError) || error.kind !== 'unauthorized') throw error
      pageTokens.delete(sender)
      return send(await tokenFor(app, webhook, sender))
    }
  }
  const sendWithMishaps: typeof sendMessage = async (token, to, text) => {
    const mishap = mishaps.shift()
    const mark = { at: clock.now(), place: position++, byExtension: false }
    const take = (key = token) => handOver(mark, key, to, text)
    switch (mishap) {
      case undefined:
        return take()
      case 'late': {
        // X has already authorized the message, so reconnecting the account with another token does not stop it.
        const { handle: sender } = await findMe(token)
        underWay.push({ at: mark.at + LATE_MS, arrive: () => onThePage(sender, take) })
        throw new XError('unknown', 'X did not respond.')
      }
      case 'accepted, no response':
        await take()
        throw new XError('unknown', 'X did not respond.')
      case 'trouble':
        throw new XError('unknown', 'X is having trouble.')
      case 'busy':
        throw new XError('rate-limit', 'Not now', new Date(clock.now() + 90_000))
      case 'inbox closed':
        throw new XError('recipient', 'You cannot send messages to this user.')
      case 'not allowed':
        throw new XError('forbidden', 'You are not allowed to do this.')
      case 'away':
        throw new XError('unavailable', 'X cannot be reached.')
      case 'locked':
        throw new XError('account', 'X has locked this account.')
    }
  }

  const readWithMishaps: typeof listAllMessages = async (...call) => {
    if (refusedReads === 0) return listAllMessages(...call)
    refusedReads -= 1
    throw new XError('unavailable', 'X cannot be reached.')
  }

  const lookWithMishaps: typeof listMessages = async (...call) => {
    try {
      const listed = await listMessages(...call)
      if (!endsEarly) return listed
      tally['unreadable conversations'] += 1
      return { ...listed, messages: listed.messages.slice(0, 1), next: null }
    } catch (error) {
      if (error instanceof XError && !isOutOfFunds(error)) tally['unreadable conversations'] += 1
      throw error
    }
  }

  const putMishapsInto = ({ services }: TestApp) =>
    Object.assign(services.x as object, {
      sendMessage: sendWithMishaps,
      listMessages: lookWithMishaps,
      listAllMessages: readWithMishaps,
    })
  putMishapsInto(app)

  const steps = openWorkers(app, (xUserId) => readSoon(app, xUserId))
  const log = openTestLog((error) => {
    if (!isOfDisaster(error) && !String(error).includes(NO_CREDITS)) app.services.log.error({ err: error })
  })
  const noteFailedReads = async () => {
    const { rows } = await app.db.execute<{ count: number }>(
      sql`select count(*)::int as count from reply_watches where fails_since is not null or rests_until > now()`,
    )
    tally['failed reads'] += rows[0]?.count ?? 0
  }
  /** Returns the account that a lead writes to: the one that last messaged them. */
  const accountOf = async (handle: string) => {
    const theirs = (await world.arrivals()).filter((arrival) => arrival.to === handle)
    return theirs.toSorted((a, b) => a.at - b.at).at(-1)?.from ?? account.handle
  }

  const world = {
    app,
    person,
    client,
    account,
    accounts,
    campaigns,
    handles,
    leadIds: everyone.leadIds,
    mishaps,
    extensions,
    stopped,
    written,
    resumed,
    simulating,
    pending,
    caps,
    tally,
    /** Handles that users have messaged by hand. */
    byHand: new Set<string>(),
    archive: null as Archive | null,
    restores: 0,
    /** Why campaigns have paused themselves. */
    pauseReasons: new Set<string>(),

    ...steps,
    queueFollowUps: () => queueFollowUps(app.db, app.services.env),
    queueNextParts: () => queueNextParts(app.db, app.services.env),
    /** Saves another text for each follow-up. */
    async edit(campaign: CampaignState) {
      const { version, steps } = await client.sequences.find({ id: campaign.id })
      const texts = stepsOf(campaign.name, DELAYS[campaign.name as keyof typeof DELAYS], ` after edit ${version}`)
      const edited = steps.map(({ id }, index) => ({ ...texts[index], id }))
      await client.sequences.save({ id: campaign.id, version, steps: edited as StepInput[] })
    },
    /** Pauses, resumes or stops an enrollment, as a user does. */
    async decide(campaign: CampaignState, nth: number, what: 'pause' | 'resume' | 'stop') {
      const { enrollments } = await client.enrollments.list({ id: campaign.id })
      const enrollment = enrollments[nth % Math.max(1, enrollments.length)]
      if (!enrollment) return
      await client.enrollments[what]({ id: enrollment.id })
      const handle = enrollment.lead?.twitterHandle
      // Anyone who is resumed may be messaged again.
      if (what === 'resume' && handle && !stopped.get(handle)?.isPermanent) stopped.delete(handle)
      if (what === 'resume' && handle) resumed.set(handle, clock.now())
    },
    /** Runs the jobs of a process other than sending. */
    async sweep() {
      await steps.sweep()
      await world.processDeliveries()
      await watchFunds({ ...app.services, log })
      await lookAtAll(app)
      await noteFailedReads()
    },

    /** Claims a direct message in a process that dies before or after the hand-over. */
    async dieByHand(lead: number, tookIt: boolean) {
      const handle = handles[lead] as string
      const id = everyone.leadIds[lead] as string
      world.byHand.add(handle)
      const worker = await steps.workerNamed(`hand ${randomBytes(3).toString('hex')}`)
      try {
        const claimed = await claimDirect(
          app.db,
          app.services.env,
          person.actor,
          {
            leadId: id,
            message: `By hand to ${handle} ${randomBytes(3).toString('hex')}`,
            templateVariables: { name: '', handle },
            allowRepeat: false,
          },
          `worker:${worker.id}`,
          async () => {},
        )
        if (tookIt) await send(app.services, { ...claimed, claimedAt: performance.now() }, TIMING)
      } finally {
        await worker.die()
      }
    },

    // X, and time

    async step(ms: number) {
      const end = clock.now() + ms
      for (const message of underWay.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)) {
        // Concurrent steps wait for the message, too: the clock must not move on before it has arrived.
        message.arriving ??= clock
          .step(Math.max(0, message.at - clock.now()))
          .then(message.arrive)
          .finally(() => underWay.splice(underWay.indexOf(message), 1))
        await message.arriving
      }
      await clock.step(Math.max(0, end - clock.now()))
    },
    isUnderWay: () => underWay.length > 0,
    /** Clicks send on X's page, as an extension does. */
    async press(hand: ExtensionHand) {
      hand.pressed = true
      const mark = { at: clock.now(), place: position++, byExtension: true }
      await onThePage(hand.sendsAs, (token) => handOver(mark, token, idOfHandle(hand.handle), hand.message))
    },
    /** Makes a lead write to the account that last messaged them. X does not deliver the message yet. */
    async reply(lead: number, text: string, isChat = false) {
      const handle = handles[lead] as string
      const to = await accountOf(handle)
      const at = await webhook.cause(() => write(app, handle, to, text, isChat))
      written.push({
        handle,
        to,
        at,
        text,
        isChat,
        isMessage: true,
        isUnreadable: webhook.isUnreadable(),
        delivery: 'waits',
      })
      tally[isChat ? 'replies in X Chat' : 'replies'] += 1
      if (text === 'STOP') tally['opt-outs'] += 1
    },
    /** Returns the index of the lead whose unclaimed follow-up is next; null: no follow-up is queued. */
    async nextFollowUp(byExtension: boolean): Promise<number | null> {
      const { rows } = await app.db.execute<{ handle: string }>(sql`
        select l.twitter_handle as handle from dms d join leads l on l.id = d.lead_id join campaigns c on c.id = d.campaign_id
        where d.workspace_id = ${person.workspaceId} and d.status = 'queued' and d.is_follow_up and not d.is_held and d.lease_expires_at is null
          and c.status = 'active' and (c.channel = 'extension') = ${byExtension}::boolean order by d.due_at, d.id limit 1`)
      return rows[0] ? handles.indexOf(rows[0].handle) : null
    },
    /** Reads both accounts. */
    async readAll() {
      for (const { handle } of accounts) await readSoon(app, idOfHandle(handle))
    },
    /** Makes a lead do something other than writing in X Chat, which changes the conversation. */
    async stir(lead: number, kind: string) {
      const handle = handles[lead] as string
      const to = await accountOf(handle)
      await webhook.cause(() => stir(app, handle, to, kind))
      written.push({
        handle,
        to,
        at: clock.now(),
        text: '',
        isChat: true,
        isMessage: false,
        isUnreadable: webhook.isUnreadable(),
        delivery: 'waits',
      })
      tally['other events in X Chat'] += 1
    },
    /** Makes X give up on the waiting deliveries. Reads still show their events. */
    async loseEvents() {
      tally['lost deliveries'] += webhook.take().length
      for (const event of written) if (event.delivery === 'waits') event.delivery = 'lost'
    },
    /** Sets the format in which X delivers events from now on. */
    setForm: (form: (typeof FORMS)[number]) => webhook.setForm(form),
    /** Makes X's lists unreadable, from now on or for some calls. */
    async makeUnreadable(what: keyof typeof UNREADABLE, times?: number) {
      const { [what]: unreadable } = UNREADABLE as Record<string, Parameters<typeof setReadable>[1]>
      endsEarly = what === 'conversations that end early'
      await setReadable(app, unreadable ?? {}, times)
    },
    async endFunds() {
      await setCredits(app, 0)
      tally['times that funds ended'] += 1
    },
    /** Makes X healthy, and gives the app unlimited credits. */
    async heal() {
      endsEarly = false
      refusedReads = 0
      await setCredits(app, null)
      await setReadable(app, {})
      await webhook.setForm({})
    },
    /** Makes X redeliver what the server may have missed. */
    async replay() {
      for (const event of written) if (event.delivery === 'lost') event.delivery = 'waits'
      await webhook.cause(() => webhook.replay())
      tally.replays += 1
    },
    async refuseReads(count: number) {
      refusedReads = count
    },
    /** Delivers pending events in reverse order, and repeats earlier ones. The server only stores them. */
    async passOn() {
      const batch = webhook.take()
      for (const event of written) if (event.delivery === 'waits') event.delivery = 'passed on'
      const earlier = webhook.passed().slice(-REPEATED).reverse()
      tally.deliveries += await webhook.passOn(batch)
      tally['late deliveries'] += batch.filter(({ at }) => clock.now() - at > LATE_DELIVERY_MS).length
      tally['unreadable deliveries'] += batch.filter((event) => event.isUnreadable).length
      tally['repeated deliveries'] += await webhook.passOn([...batch, ...earlier])
    },
    /** Processes what X has delivered. */
    async processDeliveries() {
      while ((await processDeliveries({ ...app.services, log })) > 0);
    },
    /** Delivers waiting events, and makes the server process them. */
    async deliverEvents() {
      await world.passOn()
      await world.processDeliveries()
      // Messages queued up to `repliedAt` must stop. One queued while the reply is being stored may count as later.
      const { rows } = await app.db.execute<{ handle: string; repliedAt: string; byHand: boolean }>(
        sql`select l.twitter_handle as handle, min(r.created_at) as "repliedAt", bool_and(r.kind = 'written') as "byHand"
          from leads l join replies r on r.lead_id = l.id
          where l.workspace_id = ${person.workspaceId} and r.label is distinct from 'auto_reply'
            and not exists (select from enrollments e where e.lead_id = l.id and e.resumed_at >= r.created_at) group by 1`,
      )
      for (const { handle, repliedAt, byHand } of rows)
        world.stop(handle, new Date(repliedAt).getTime(), { isPermanent: false, byHand })
      const { rows: out } = await app.db.execute<{ handle: string }>(
        sql`select twitter_handle as handle from suppressions where workspace_id = ${person.workspaceId}`,
      )
      for (const { handle } of out) world.stop(handle, clock.now(), { isPermanent: true })
    },
    stop(
      handle: string,
      queuedBefore: number,
      { isPermanent, byHand = false }: { isPermanent: boolean; byHand?: boolean },
    ) {
      const before = stopped.get(handle)
      if (before?.isPermanent) return
      if (before && !isPermanent) {
        before.byHand &&= byHand
        return
      }
      stopped.set(handle, { place: position, queuedBefore, isPermanent, byHand })
    },
    async saveCap(most: number) {
      try {
        for (const { id } of accounts)
          await client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: id, dailyCap: most })
      } finally {
        await world.noteCap()
      }
    },
    /** Records the cap from now on: the higher one, if only one of the accounts has a new cap. */
    async noteCap() {
      for (;;) {
        try {
          const { rows } = await app.db.execute<{ cap: number }>(
            sql`select max(daily_cap) as cap from sending_limits where workspace_id = ${person.workspaceId}`,
          )
          cap = rows[0]?.cap ?? cap
          caps.push({ at: clock.now(), cap })
          return
        } catch (error) {
          if (!isOfDisaster(error)) throw error
        }
      }
    },
    async suppress(lead: number) {
      const handle = handles[lead] as string
      await client.suppressions.create({ handles: [handle] })
      world.stop(handle, clock.now(), { isPermanent: true, byHand: true })
    },
    async connect() {
      for (const { handle } of [other, account])
        await client.xAccount.connect({ username: handle, password: 'long enough' })
    },
    /** Makes another account send a campaign's first messages. */
    async changeAccount({ id, holding }: CampaignState, index: 0 | 1) {
      if (!holding) await client.campaigns.update({ id, xAccountId: (accounts[index] ?? account).id })
    },
    /** Adds 50 old messages of the campaign's account, so that one opt-out pauses the campaign. */
    async addEarlierMessages({ id }: CampaignState) {
      // One transaction, because other steps break connections.
      await transact(app.db, async (tx) => {
        await tx.execute(sql`
          with watched as (update campaigns set watched_from = null where id = ${id} and x_account_id is not null and watched_from is not null returning *)
          insert into dms (workspace_id, campaign_id, step, message, status, holder, x_account_id, claimed_at, sent_at)
          select workspace_id, id, 0, 'Earlier', 'sent', 'simulated', x_account_id, long_ago, long_ago
          from watched cross join lateral (select now() - make_interval(days => 99 + n) as long_ago from generate_series(1, 50) n) earlier`)
        await recountMessages(tx, sql`id = ${id}`)
      })
    },
    /** Marks campaigns that have paused themselves as closed, and completed ones that a user reopened as open. */
    async notePauses() {
      for (const campaign of campaigns.filter(({ mayReopen }) => mayReopen)) {
        campaign.mayReopen = false
        if ((await client.campaigns.find({ id: campaign.id })).status !== 'active') continue
        campaign.closedAt = null
        campaign.wish = 'active'
      }
      const { rows } = await app.db.execute<{ id: string; why: string }>(sql`
        select id, reason ->> 'code' as why from campaigns
        where workspace_id = ${person.workspaceId} and kind = 'campaign' and status = 'paused' and reason is not null`)
      for (const { why } of rows) world.pauseReasons.add(why)
      for (const campaign of campaigns) {
        if (campaign.closedAt || campaign.holding || !rows.some(({ id }) => id === campaign.id)) continue
        campaign.wish = 'paused'
        if (!(await world.isInFlight(campaign.id))) campaign.closedAt = { place: position, at: clock.now() }
      }
    },

    // Extension steps

    extensionNamed(name: string): Extension {
      const extension = extensions.get(name) ?? { name, hand: null }
      extensions.set(name, extension)
      return extension
    },
    async claimByExtension(name: string) {
      const extension = world.extensionNamed(name)
      if (extension.hand) return
      const response = await client.campaigns.claimAny({ holder: name })
      // A follow-up may be waiting for this read.
      if (response.status !== 200) return lookAtAll(app)
      const { dmId, lease, twitterHandle: handle, message, sendsAs } = response.body
      extension.hand = { dmId, lease, handle, message, sendsAs: sendsAs ?? account.handle, pressed: false }
    },
    async giveBack(name: string) {
      const extension = world.extensionNamed(name)
      const { hand } = extension
      if (!hand || hand.pressed) return
      extension.hand = null
      await client.campaigns.release({ id: hand.dmId, lease: hand.lease })
    },

    // Observations

    async failedMessages() {
      const { rows } = await app.db.execute<{
        id: string
        campaignId: string
        message: string
        outcomeUnknown: boolean
      }>(
        sql`select id, campaign_id as "campaignId", message, outcome_unknown as "outcomeUnknown" from dms where workspace_id = ${person.workspaceId} and status = 'failed' order by id`,
      )
      return rows
    },
    isInFlight: async (id: string) => (await client.campaigns.find({ id })).messagesInFlight > 0,
    /** True if nothing is left to send: no unheld message, and no enrollment with a next step. */
    async isQuiet() {
      const { rows } = await app.db.execute(
        sql`select from dms d join campaigns c on c.id = d.campaign_id
          where d.workspace_id = ${person.workspaceId} and d.status = 'queued' and not d.is_held and (c.status <> 'archived' or d.lease_expires_at is not null)
          union all select from enrollments where workspace_id = ${person.workspaceId} and state = 'active' and (next_at is not null or is_unqueued) limit 1`,
      )
      return rows.length === 0 && underWay.length === 0
    },
    handedOver: () => position,
    /** The messages that took effect, from the stand-in's log. */
    async arrivals(): Promise<Arrival[]> {
      const logs = accounts.map(async ({ handle }) => {
        const response = await fetch(`${app.x.url}/_log/dms?from=${handle}`)
        return (await response.json()) as { id: string; from: string; to: string; text: string; at: string }[]
      })
      const log = (await Promise.all(logs)).flat()
      await Promise.allSettled(handing)
      return log.map(({ at, ...message }) => {
        const mark = handed.get(message.id)
        if (!mark) throw new Error(`X has a message that no sender handed over: ${message.text}`)
        return {
          ...message,
          at: new Date(at).getTime(),
          handedAt: mark.at,
          place: mark.place,
          byExtension: mark.byExtension,
        }
      })
    },
    /** Kills every server process, including requests and simulations. */
    async endAll() {
      await steps.endWorkers()
      let isOver = false
      const open = Promise.allSettled([...pending.splice(0), ...campaigns.map(({ holding }) => holding)]).then(() => {
        isOver = true
      })
      for (let looks = 0; !isOver; looks += 1) {
        // A simulation whose campaign was paused claims the next message and hangs again.
        for (const wake of simulating.splice(0)) wake()
        // Let calls that wait for outcomes time out.
        if (looks === 1) await world.step(41_000)
        await Promise.race([open, new Promise((resolve) => setTimeout(resolve, 300))])
      }
    },
    /** Continues after a restore: changes since the backup are lost, but X keeps its messages. */
    async beginAgain() {
      putMishapsInto(app)
      await world.noteCap()
      const { rows: unknown } = await app.db.execute(
        sql`select from leads where workspace_id = ${person.workspaceId} and x_user_id is null`,
      )
      tally.restores += 1
      if (unknown.length > 0) tally['restores with unknown X ids'] += 1
      world.restores += 1
      const { rows } = await app.db.execute<{ id: string; status: string; wasQueued: boolean }>(
        sql`select id, status, queued_at is not null as "wasQueued" from campaigns where workspace_id = ${person.workspaceId}`,
      )
      for (const campaign of campaigns) {
        const row = rows.find(({ id }) => id === campaign.id)
        expect(row?.status, `${campaign.name} after a restore`).not.toBe('active')
        campaign.wish = row?.status === 'archived' ? 'archived' : row?.wasQueued ? 'paused' : 'none'
        campaign.closedAt = { place: position, at: clock.now() }
      }
      const { rows: out } = await app.db.execute<{ handle: string }>(
        sql`select twitter_handle as handle from suppressions where workspace_id = ${person.workspaceId}`,
      )
      for (const [handle, { byHand }] of stopped)
        if (byHand && !out.some((entry) => entry.handle === handle)) stopped.delete(handle)
    },
    async close() {
      await world.endAll()
      dropBackup(world)
      Object.assign(app.services.x as object, { sendMessage, listMessages, listAllMessages })
      await world.heal()
    },
  }
  return world
}

/** Stops what an interrupted world left behind, so that it sends nothing in later worlds. */
async function deleteEarlierWorlds({ db }: TestApp): Promise<void> {
  // `transact` retries: numbering of the last world's events can conflict with this delete.
  await transact(db, (tx) => tx.execute(sql`delete from workspaces`))
  await db.execute(sql`delete from lead_standings`)
  await db.execute(sql`delete from reply_watches`)
  await db.execute(sql`delete from x_deliveries`)
  await db.execute(sql`delete from restores`)
  await db.execute(sql`
    update x_apps set funds_empty_since = null, funds_try_at = null, gap_since = null, gap_until = null, replayed_at = null, delivered_at = null`)
}

/** A client whose token survives every clock change. */
async function longClient({ services, url, clock }: TestApp, { actor }: Person): Promise<Client> {
  const now = Math.floor(clock.now() / 1_000)
  const { userId: sub, sessionId: sid, workspaceId: wid, role } = actor
  const payload = { sub, sid, wid, role, iat: now, exp: now + TEN_YEARS_MS / 1_000 }
  const token = await services.auth.sign(services.database.db, payload)
  return createClient({ contract, url, tokens: { current: () => token } })
}

const pageTokens = new Map<string, { token: string; until: number }>()

/** Returns a token of X's page, which has its own session, independent of our tokens. */
async function tokenFor(app: TestApp, { page }: WebhookOfTest, handle: string): Promise<string> {
  const cached = pageTokens.get(handle)
  if (cached && cached.until > app.clock.now()) return cached.token
  const { accessToken } = await page.signInWithPassword(handle, 'long enough')
  pageTokens.set(handle, { token: accessToken, until: app.clock.now() + 3_600_000 })
  return accessToken
}
