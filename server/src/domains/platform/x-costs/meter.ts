import type { XPurpose } from '@x-automated/contract/platform/x-costs'
import { type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { attemptEach } from '../../../attempt-each.ts'
import type { Database, Db } from '../../../db/open.ts'
import { XError } from '../../../outside/x-errors.ts'
import { X_PRICES, type XBillable, type XResource } from '../../../outside/x-prices.ts'
import type { XMeters } from '../../../ports.ts'
import { notifySpending, type Spending, spendingColumns } from './limit.ts'
import { limitText } from './rules.ts'
import { RETURNED_WITHIN_SECONDS, reservedMills, spentMills, thisMonth } from './tables.ts'

/** The error of a call that was not made because it could exceed the workspace's spending limit. */
export class BeyondLimit extends XError {
  constructor({ limitCents, mills, resetsAt }: Spending, wantedMills: number) {
    const isSpent = mills + wantedMills > limitCents * 10
    super(
      'funds',
      limitText(limitCents),
      isSpent ? new Date(resetsAt) : new Date(Date.now() + RETURNED_WITHIN_SECONDS * 1_000),
    )
  }
}
/** A charge whose account has not been looked up yet. */
type Unresolved = Parameters<XMeters['count']>[0]

interface Charge extends XBillable {
  accountId: string
  appId: string
  purpose: XPurpose
}

/** A correction of a workspace's spending, in thousandths of a dollar. */
interface Correction {
  /** To subtract from its charges: messages that were not sent. */
  mills: number
  /** To subtract from the possible cost of running calls: calls that have ended. */
  reserved: number
}

/** A workspace's charges and corrections that have not been written yet. */
interface Pending extends Correction {
  charges: Charge[]
}
const NOTHING: Correction = { mills: 0, reserved: 0 }

/** The call that is charged where its outcome is recorded. */
const SEND = 'sendMessage'
const FLUSH_MS = 1_000
/** Maximum number of charges in one statement. */
const CHARGES_PER_FLUSH = 5_000
/** Maximum number of charges to keep in memory while the database is down. */
const CHARGES_KEPT = 200_000

/**
 * Meters this process's calls of X. Messages are counted where their outcome is recorded;
 * everything else is written once a second, so that no call waits. A process that is killed loses
 * up to a second of charges. If there is a spending limit, the possible cost of that process's
 * calls stays counted against it. @param isPriced false: the configured X is a stand-in that costs
 * nothing
 */
export function createXMeters({
  database,
  isPriced,
  log,
}: {
  database: Database
  isPriced: boolean
  log: FastifyBaseLogger
}): XMeters {
  const { db } = database
  const pending = new Map<string, Pending>()
  const unresolved: Unresolved[] = []
  let timer: NodeJS.Timeout | null = null
  let flushing = Promise.resolve()

  const millsOf = (resource: XResource) => (isPriced ? X_PRICES[resource] : 0)

  function add(workspaceId: string, charges: readonly Charge[], { mills, reserved }: Correction): void {
    if (charges.length === 0 && mills === 0 && reserved === 0) return
    const own = pending.get(workspaceId) ?? { charges: [], ...NOTHING }
    if (own.charges.length < CHARGES_KEPT) own.charges.push(...charges.map(storable))
    own.mills += mills
    own.reserved += reserved
    pending.set(workspaceId, own)
    schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush().catch(() => {}), FLUSH_MS).unref()
  }

  /** Writes what has been counted so far. */
  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    flushing = flushing
      .catch(() => {})
      .then(writeAll)
      .catch((error) => {
        log.warn({ err: error }, 'charges of X not written, retrying')
        schedule()
        throw error
      })
    return flushing
  }

  async function writeAll(): Promise<void> {
    await resolve()
    await attemptEach([...pending], async ([workspaceId, own]) => {
      while (own.charges.length > 0 || own.mills !== 0 || own.reserved !== 0) {
        const { mills, reserved } = own
        const part = own.charges.slice(0, CHARGES_PER_FLUSH)
        const priced = part.map((charge) => ({ ...charge, price: millsOf(charge.resource) }))
        const spending = await writeCharges(db, workspaceId, priced, { mills, reserved })
        own.charges.splice(0, part.length)
        own.mills -= mills
        own.reserved -= reserved
        if (spending) await notifySpending(db, workspaceId, spending, messageMills)
      }
      pending.delete(workspaceId)
    })
  }

  /**
   * Assigns charges to workspaces. If several share an account, its charges belong to the one that
   * connected it last.
   */
  async function resolve(): Promise<void> {
    if (unresolved.length === 0) return
    const ids = [...new Set(unresolved.map(({ accountXUserId }) => accountXUserId))]
    const { rows } = await db.execute<{ xUserId: string; workspaceId: string; accountId: string; appId: string }>(sql`
      select distinct on (x_user_id, x_app_id) x_user_id as "xUserId", workspace_id as "workspaceId", id as "accountId",
        x_app_id as "appId"
      from x_accounts where x_user_id = any(${sql.param(ids)}::text[]) and status <> 'disconnected'
      order by x_user_id, x_app_id, last_connected_at desc nulls last`)
    for (const { accountXUserId, ...charge } of unresolved.splice(0)) {
      const account = rows.find(({ xUserId, appId }) => xUserId === accountXUserId && appId === charge.appId)
      if (account) add(account.workspaceId, [{ ...charge, accountId: account.accountId }], NOTHING)
    }
  }

  const messageMills = millsOf('message') ?? 0

  return {
    messageMills,

    of({ isLimited, workspaceId, accountId, appId }, purpose) {
      return {
        async reserve({ name, mills }) {
          if (!isLimited || !isPriced || mills === 0) return
          const spending = await reserve(db, workspaceId, mills, name === SEND)
          if (!spending) return
          if (!spending.fits) throw new BeyondLimit(spending, mills)
          await notifySpending(db, workspaceId, spending, messageMills)
        },
        settle({ name, mills, billables, error }) {
          // A message that may have been sent stays counted.
          const isKept = error === null || (error instanceof XError && error.kind === 'unknown')
          const counted = isLimited && isPriced ? mills : 0
          const charges = billables.map((billable) => ({
            ...billable,
            accountId,
            appId,
            purpose: purposeOf(billable.resource, purpose),
          }))
          const correction = name === SEND ? { mills: isKept ? 0 : -counted } : { reserved: -counted }
          add(workspaceId, charges, { ...NOTHING, ...correction })
        },
      }
    },

    count(charge) {
      if (unresolved.length < CHARGES_KEPT) unresolved.push(charge)
      schedule()
    },

    flush,

    async close() {
      await flush().catch(() => {})
      if (timer) clearTimeout(timer)
    },
  }
}

/** Makes a charge's id storable. X's ids are short and plain, but a bad one must not block other charges. */
const storable = (charge: Charge): Charge => ({
  ...charge,
  id: charge.id.replaceAll('\u0000', '').toWellFormed().slice(0, 200),
})

function purposeOf(resource: XResource, lookup: 'lookup' | 'scrape'): XPurpose {
  if (resource === 'dm_event' || resource.startsWith('chat_')) return 'read'
  return resource === 'public_key' ? 'read' : lookup
}

/**
 * SQL that counts a sent message. @param from SQL: a `from` clause with the message as `d`, and its
 * condition @param mills what X charges for it, in thousandths of a dollar; null: it was not sent
 * through X's API
 */
export function chargeMessage(from: SQL, mills: number | null): SQL {
  return sql`
    insert into x_charges as x (workspace_id, day, x_account_id, purpose, resource, count, mills)
    select d.workspace_id, (d.sent_at at time zone 'UTC')::date, d.x_account_id, 'send', 'message', 1, ${mills}::int
    from ${from} and d.x_account_id is not null and ${mills}::int is not null
    on conflict (workspace_id, day, x_account_id, purpose, resource)
    do update set count = x.count + excluded.count, mills = x.mills + excluded.mills`
}

/**
 * Reserves the most that a call may cost, if the limit allows it. A message is added to the
 * charges, any other call to the reserved amount. @returns null: there is no limit
 */
async function reserve(
  db: Db,
  workspaceId: string,
  mills: number,
  isSend: boolean,
): Promise<(Spending & { fits: boolean }) | null> {
  const { rows } = await db.execute<Spending & { fits: boolean } & Record<string, unknown>>(sql`
    with reserved as (
      update x_spending s set month = ${thisMonth}, mills = ${spentMills} + ${isSend ? mills : 0}::bigint,
        reserved_mills = ${reservedMills} + ${isSend ? 0 : mills}::bigint
      where workspace_id = ${workspaceId}
        and ${spentMills} + ${reservedMills} + ${mills}::bigint <= limit_cents * 10::bigint
      returning ${spendingColumns}
    )
    select *, true as fits from reserved
    union all
    select ${spendingColumns}, false from x_spending s
    where workspace_id = ${workspaceId} and limit_cents is not null and not exists (select from reserved)`)
  return rows[0] ?? null
}

/**
 * Adds charges, except those that the app already had today, and corrects the spending. @returns
 * the month's spending, if there is a limit
 */
async function writeCharges(
  db: Db,
  workspaceId: string,
  charges: readonly (Charge & { price: number | null })[],
  { mills, reserved }: Correction,
): Promise<Spending | null> {
  const column = (name: keyof Charge | 'price') => sql.param(charges.map((charge) => charge[name]))
  const { rows } = await db.execute<Spending & Record<string, unknown>>(sql`
    with counted as (
      select distinct on (app, resource, id) *
      from unnest(${column('appId')}::uuid[], ${column('resource')}::text[], ${column('id')}::text[], ${column('accountId')}::uuid[],
        ${column('purpose')}::text[], ${column('price')}::int[]) with ordinality as c(app, resource, id, account,
        purpose, price, place)
      order by app, resource, id, place
    ), charged as (
      insert into x_billed_resources (day, x_app_id, resource, x_id)
      select (now() at time zone 'UTC')::date, app, resource, id from counted
      where exists (select from workspaces where id = ${workspaceId}) order by app, resource, id
      on conflict do nothing returning day, x_app_id, resource, x_id
    ), sums as (
      select b.day, c.account, c.purpose, c.resource, count(*)::int as count, (count(*) * min(c.price))::int as mills
      from charged b join counted c on c.app = b.x_app_id and c.resource = b.resource and c.id = b.x_id
      group by 1, 2, 3, 4
    ), stored as (
      insert into x_charges as x (workspace_id, day, x_account_id, purpose, resource, count, mills)
      select ${workspaceId}::uuid, day, account, purpose, resource, count, mills
      from sums
      order by account, purpose, resource
      on conflict (workspace_id, day, x_account_id, purpose, resource)
      do update set count = x.count + excluded.count, mills = x.mills + excluded.mills
    )
    update x_spending s set month = ${thisMonth},
      mills = greatest(0, ${spentMills} + ${mills}::bigint + coalesce((select sum(mills) from sums), 0)),
      reserved_mills = greatest(0, ${reservedMills} + ${reserved}::bigint)
    where workspace_id = ${workspaceId} and limit_cents is not null
    returning ${spendingColumns}`)
  return rows[0] ?? null
}
