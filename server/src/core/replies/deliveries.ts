import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../db/channels.ts'
import { one } from '../../db/one.ts'
import type { Database, Db } from '../../db/open.ts'
import { OPERATOR_APP_ID } from '../../domains/platform/x-apps/tables.ts'
import { readDelivery, type XDelivery, type XHappening } from '../../outside/x-delivery.ts'
import type { XReport } from '../../outside/x-report.ts'
import type { JobQueue } from '../../ports.ts'
import { createSealer, type Sealer } from '../../sealing.ts'
import { requestRead } from '../messages/schedule.ts'
import { discountReads, noteGap, readAllOf } from './gaps.ts'
import { receive } from './receive.ts'

/*
 * X gets its response once the body of a delivery is stored. Any process may then process it.
 * Deliveries about one person are processed in order, those about different people in parallel.
 * Until then, the account's follow-ups wait (`hasUnstored` in tables/replies.ts).
 */

/** NOTIFY channel on which stored deliveries are announced. */
export const DELIVERIES_CHANNEL = 'x-deliveries'

interface Incoming {
  /** The app whose webhook received the delivery. */
  appId: string
  body: Buffer
  delivery: XDelivery
}

// Do not change the purpose: stored bodies are sealed with it.
const sealerOf = ({ authSecret }: { authSecret: string }) => createSealer(authSecret, 'x-automated x deliveries')

/** Creates a function that stores deliveries in batches: those that arrive during a write are written together. */
export function createDeliveryStore({
  database: { db },
  env,
  unreadables,
}: {
  database: Database
  env: { authSecret: string }
  unreadables: { report: XReport }
}) {
  const sealer = sealerOf(env)
  let waiting: Incoming[] = []
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  /** By app: when storing a delivery first failed. */
  const failed = new Map<string, Date>()

  async function write(): Promise<void> {
    const batch = waiting
    waiting = []
    next = null
    try {
      for (const { eventType } of await insert(db, sealer, batch))
        unreadables.report({ source: 'account', name: eventType ?? 'unknown', keys: [] })
    } catch (error) {
      for (const { appId } of batch) if (!failed.has(appId)) failed.set(appId, new Date())
      reportGaps()
      throw error
    }
  }
  let reporting: NodeJS.Timeout | null = null
  /** Records gaps, and retries until the database is back. X may have given up delivering by then. */
  function reportGaps(): void {
    if (reporting) return
    reporting = setTimeout(async () => {
      reporting = null
      try {
        for (const [appId, since] of [...failed]) {
          // Another delivery may fail in the meantime.
          failed.delete(appId)
          await noteGap(db, appId, since).catch((error) => {
            failed.set(appId, since)
            throw error
          })
        }
      } catch {
        reportGaps()
      }
    }, GAP_RETRY_MS).unref()
  }

  /** Resolves once the delivery is stored. */
  return (incoming: Incoming): Promise<void> => {
    waiting.push(incoming)
    if (next === null) {
      next = writing.catch(() => {}).then(write)
      writing = next
    }
    return next
  }
}
const GAP_RETRY_MS = 5_000

/** The time of an app's last delivery is updated at most this often. */
const SEEN_EVERY = sql`interval '10 seconds'`

/** Stores deliveries. @returns the rejected ones, which name an account that is not the app's */
async function insert(db: Db, sealer: Sealer, batch: readonly Incoming[]): Promise<XDelivery[]> {
  const incoming = batch.map(({ appId, body, delivery }, index) => {
    const { account, person } = namedIn(delivery)
    const holds = delivery.unreadable?.mayBeMessage || delivery.happenings.some(({ kind }) => kind === 'message')
    return { place: index, app: appId, account, person, holds, body: sealer.seal(body.toString('utf8')) }
  })
  const { rows } = await db.execute<{ others: number[] }>(sql`
    with incoming as materialized (
      -- An app's owner could sign events about any account, so only events about the app's own
      -- accounts are stored.
      select i.*, i.account is null or exists (
        select
        from x_accounts a
        where a.x_user_id = i.account
          and a.status <> 'disconnected'
          and i.app in (a.x_app_id, ${OPERATOR_APP_ID})) as is_ours
      from jsonb_to_recordset(${JSON.stringify(incoming)}::jsonb) as i(
        place int, app uuid, account text, person text, holds boolean, body text
      )
    ), seen as (
      update x_apps a set delivered_at = now()
      where a.id in (select app from incoming) and (a.delivered_at is null or a.delivered_at < now() - ${SEEN_EVERY})
    ), added as (
      insert into x_deliveries (x_app_id, account_x_user_id, person_x_user_id, holds, sealed_body)
      select app, account, person, holds, body from incoming where is_ours
    )
    select pg_notify(${DELIVERIES_CHANNEL}, ''), array(select place from incoming where not is_ours) as others`)
  return one(rows).others.flatMap((index) => batch[index]?.delivery ?? [])
}

/** The X ids of the account and the person that a delivery names. */
function namedIn({ accountXUserId, happenings, unreadable }: XDelivery): {
  account: string | null
  person: string | null
} {
  if (unreadable) return { account: unreadable.accountXUserId, person: unreadable.personXUserId }
  for (const event of happenings) {
    const pair =
      event.kind === 'message'
        ? [event.senderId, event.recipientId]
        : event.kind === 'read'
          ? [event.authorId, event.readerId]
          : []
    const person = pair.find((id) => id !== accountXUserId)
    if (person) return { account: accountXUserId ?? pair.find((id) => id !== person) ?? null, person }
  }
  return { account: accountXUserId, person: null }
}

// Processing

export interface DeliveryContext {
  database: Database
  channels: Channels
  jobs: JobQueue
  env: { authSecret: string }
  log: FastifyBaseLogger
}

type Stored = {
  id: number
  xAppId: string
  account: string | null
  person: string | null
  sealedBody: string
  attempts: number
  receivedAt: string
  /** The delivery was received more than HOLDS_FOR ago. */
  isOld: boolean
}

/** The maximum number of deliveries in a batch. Its transaction locks the lead of each. */
const BATCH = 100
/** While the database stores one batch, a process reads the next. */
const BATCHES_AT_A_TIME = 2
/** After this time, another process takes over an unfinished batch. */
const LEASE = sql`interval '30 seconds'`
const ATTEMPTS_MAX = 5
/** The longest time for which a delivery delays follow-ups. */
const HOLDS_FOR = sql`interval '2 minutes'`
/** Delay before retrying a delivery that may be about a message being sent right now. */
const UNDECIDED = sql`interval '2 seconds'`
/** How often to look without a notification, for retries and lost notifications. */
const POLL_MS = 1_000

/** Stores the events of deliveries. */
export type Receive = typeof receive

/**
 * Processes deliveries as soon as they are stored. Several processes can do this at the same time.
 * @param store another `receive`, for tests
 */
export function startDeliveries(context: DeliveryContext, store: Receive = receive): { close(): Promise<void> } {
  const { channels, log } = context
  let isClosed = false
  const wakes = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of wakes) wake()
  }
  const stopListening = channels.subscribe(DELIVERIES_CHANNEL, wakeAll)
  const run = async () => {
    let isNotified = false
    let wake = () => {}
    wakes.add(() => {
      isNotified = true
      wake()
    })
    while (!isClosed) {
      isNotified = false
      const count = await processDeliveries(context, store).catch((error) => {
        log.warn({ err: error }, 'processing of deliveries from X interrupted, retrying')
        return 0
      })
      if (count > 0 || isNotified || isClosed) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const running = Promise.all(Array.from({ length: BATCHES_AT_A_TIME }, run))
  return {
    async close() {
      isClosed = true
      stopListening()
      wakeAll()
      await running
    },
  }
}

/** Processes the deliveries that are due. @returns their number */
export async function processDeliveries(context: DeliveryContext, store: Receive = receive): Promise<number> {
  const { db } = context.database
  // Takes only the earliest delivery of each person, unless that one waits for a sender (`holds` is false).
  const { rows } = await db.execute<Stored>(sql`
    update x_deliveries u set attempts = u.attempts + 1, next_at = now() + ${LEASE}
    where u.id in (
      select d.id from x_deliveries d
      -- Stored times are rounded to the nearest millisecond.
      where d.next_at < now() + interval '1 millisecond' and not exists (
        select
        from x_deliveries e
        where e.account_x_user_id = d.account_x_user_id
          and e.person_x_user_id = d.person_x_user_id
          and e.id < d.id
          and e.holds)
      order by d.id limit ${BATCH} for update skip locked
    )
    returning u.id, u.x_app_id as "xAppId", u.account_x_user_id as account, u.person_x_user_id as person,
      u.sealed_body as "sealedBody", u.attempts,
      u.received_at as "receivedAt", u.received_at < now() - ${HOLDS_FOR} as "isOld"`)
  if (rows.length === 0) return 0
  const sealer = sealerOf(context.env)
  const deliveries = rows.toSorted((a, b) => a.id - b.id).map((row) => open(sealer, row))
  for (const ofApp of Map.groupBy(deliveries, ({ row }) => row.xAppId).values())
    await processTogether(context, store, ofApp).catch(async (error) => {
      context.log.warn({ err: error }, 'deliveries from X failed together, so each is processed alone')
      for (const single of ofApp) await processAlone(context, store, single)
    })
  return rows.length
}

/** The app whose accounts a delivery may change; null: the operator's app, which may change any account. */
const appOf = ({ row }: Pick<Opened, 'row'>) => (row.xAppId === OPERATOR_APP_ID ? null : row.xAppId)

/** Stores the events of deliveries to one app. */
async function processTogether(context: DeliveryContext, store: Receive, all: readonly Opened[]): Promise<void> {
  const { db } = context.database
  const [first] = all
  if (!first) return
  const events = all.flatMap((delivery) => delivery.events)
  const undecided = await store(db, events, appOf(first))
  const isUndecided = (delivery: Opened) => delivery.events.some((event) => undecided.has(event))
  const isDecided = (delivery: Opened) => !isUndecided(delivery)
  await putOff(db, all.filter(isUndecided))
  await finish(context, all.filter(isDecided))
}

interface Opened {
  row: Stored
  events: readonly XHappening[]
  /** The delivery does not say what happened, so its account has to be read at X. */
  needsRead: boolean
}

/** Decrypts and parses a delivery. An unreadable delivery counts as a reply of the person it names. */
function open(sealer: Sealer, row: Stored): Opened {
  let delivery = {
    happenings: [] as readonly XHappening[],
    unreadable: { mayBeMessage: true } as { mayBeMessage: boolean } | null,
  }
  try {
    delivery = readDelivery(JSON.parse(sealer.open(row.sealedBody)))
  } catch {
    // The delivery was sealed with another AUTH_SECRET.
  }
  const { happenings, unreadable } = delivery
  const isLost = unreadable?.mayBeMessage ?? false
  const reply = isLost ? countedReply(row) : null
  return { row, events: reply ? [...happenings, reply] : happenings, needsRead: isLost && reply === null }
}

/** An empty message from the person that the delivery names; null if it names nobody. */
function countedReply({ id, account, person, receivedAt }: Stored): XHappening | null {
  if (!account || !person) return null
  const ids = { eventId: `unreadable ${id}`, senderId: person, recipientId: account }
  return { kind: 'message', ...ids, text: '', at: new Date(receivedAt), isEncrypted: false, handles: {} }
}

/** Deletes processed deliveries, and requests reads of the accounts that need one. */
async function finish({ database: { db }, jobs }: DeliveryContext, done: readonly Opened[]): Promise<void> {
  if (done.length === 0) return
  for (const { row, needsRead } of done) {
    if (!needsRead) continue
    if (row.account === null) await readAllOf(db, row.xAppId)
    else {
      await discountReads(db, row.account)
      await requestRead({ db, jobs }, row.account)
    }
  }
  await db.execute(sql`delete from x_deliveries where id = any(${sql.param(done.map(({ row }) => row.id))}::bigint[])`)
}

/**
 * Retries deliveries later. Follow-ups do not wait for them, because a message to that person is
 * already being sent.
 */
async function putOff(db: Db, undecided: readonly Opened[]): Promise<void> {
  if (undecided.length === 0) return
  await db.execute(sql`
    update x_deliveries set attempts = attempts - 1, holds = false, next_at = now() + ${UNDECIDED}
    where id = any(${sql.param(undecided.map(({ row }) => row.id))}::bigint[])`)
}

async function processAlone(context: DeliveryContext, store: Receive, delivery: Opened): Promise<void> {
  const { row } = delivery
  try {
    await processTogether(context, store, [delivery])
  } catch (error) {
    context.log.error({ err: error, attempts: row.attempts }, 'a delivery from X could not be stored')
    if (row.attempts >= ATTEMPTS_MAX || row.isOld) return giveUp(context, store, delivery)
    await context.database.db.execute(
      sql`
        update x_deliveries set next_at = now() + make_interval(secs => ${2 ** row.attempts / 4}) where id = ${row.id}`,
    )
  }
}

/**
 * Counts a delivery as a reply of the person it names. If it names nobody, or storing fails,
 * requests a read of the account.
 */
async function giveUp(context: DeliveryContext, store: Receive, { row, events }: Opened): Promise<void> {
  const [message, ...others] = events.filter((event) => event.kind === 'message')
  const reply = message ? { ...message, text: '' } : countedReply(row)
  const isCounted =
    reply !== null &&
    (await store(context.database.db, [reply], appOf({ row })).then(
      () => true,
      (error) => {
        context.log.error({ err: error }, 'a delivery from X could not be counted as a reply')
        return false
      },
    ))
  await finish(context, [{ row, events, needsRead: !isCounted || others.length > 0 }])
}
