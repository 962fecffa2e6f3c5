import { createHash } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { UnreadableSource } from '@x-automated/contract/overview/operator'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { Counter } from 'prom-client'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { XNote, XReport } from '../../../outside/x-report.ts'

/** Identical notes are collected for this long before they are logged and stored. */
const STORE_AFTER_MS = 2_000
/** Maximum number of different forms that a process counts, and that a day stores. */
const FORMS_MAX = 200
const SHOWN_DAYS = 7
const KEPT_DAYS = 30

export interface Unreadables {
  /** Counts what X sent and the product could not read. */
  report: XReport
  metric: Counter
  /** Logs and stores everything that is still pending. */
  flush(): Promise<void>
}

/** Counts what cannot be read: in a metric, in the log, and for the operator page. */
export function createUnreadables(db: Db, log: FastifyBaseLogger): Unreadables {
  const metric = new Counter({
    name: 'x_unreadable_total',
    help: 'What X sent and the server could not read, by source and type of event or call',
    labelNames: ['source', 'name'],
    registers: [],
  })
  const counted = new Map<string, Counted>()
  /** The names in the metric. They are limited, because anyone with their own X app can sign events with any name. */
  const names = new Set<string>()
  let timer: NodeJS.Timeout | null = null

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = [...counted.values()]
    counted.clear()
    for (const { source, name, keys, count } of batch)
      log.warn({ source, name, keys, count }, 'X sent something that cannot be read')
    await store(db, batch).catch((error) => log.warn({ err: error }, 'unreadable things of X were not stored'))
  }

  return {
    metric,
    report({ source, name, keys }) {
      if (names.size < FORMS_MAX) names.add(name)
      metric.inc({ source, name: names.has(name) ? name : 'other' })
      const form = createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 16)
      const key = `${source} ${name} ${form}`
      const same = counted.get(key)
      if (same) same.count += 1
      else if (counted.size < FORMS_MAX) counted.set(key, { source, name, form, keys, count: 1 })
      timer ??= setTimeout(() => void flush(), STORE_AFTER_MS).unref()
    },
    flush,
  }
}

type Counted = XNote & { form: string; count: number }

async function store(db: Db, batch: readonly Counted[]): Promise<void> {
  if (batch.length === 0) return
  await db.execute(sql`
    insert into x_unreadables as u (day, source, name, form, keys, count, last_at)
    select (now() at time zone 'UTC')::date, source, name, form, keys, count, now()
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as n(source text, name text, form text, keys text[], count int)
    where (select count(*) from x_unreadables where day = (now() at time zone 'UTC')::date) < ${FORMS_MAX}
      or exists (select from x_unreadables k
        where k.day = (now() at time zone 'UTC')::date and k.source = n.source and k.name = n.name and k.form = n.form)
    on conflict (day, source, name, form) do update set count = u.count + excluded.count, last_at = excluded.last_at`)
}

/** The unreadable data of the last 7 days, by form, the latest first. */
export async function listUnreadable(db: Db, { page, pageSize }: InputOf<'operator', 'unreadable'>) {
  const since = sql`day > (now() at time zone 'UTC')::date - ${SHOWN_DAYS}::int`
  const { rows } = await db.execute<{
    id: string
    source: UnreadableSource
    name: string
    keys: string[]
    count: number
    lastAt: string
  }>(sql`
    select concat_ws(' ', source, name, form) as id, source, name, min(keys) as keys, sum(count)::int as count,
      max(last_at) as "lastAt"
    from x_unreadables
    where ${since} group by source, name, form order by max(last_at) desc, source, name, form
    limit ${pageSize} offset ${(page - 1) * pageSize}`)
  const { rows: totals } = await db.execute<{ total: number }>(
    sql`
      select count(*)::int as total from (select from x_unreadables where ${since} group by source, name, form) forms`,
  )
  const unreadable = rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: new Date(lastAt) }))
  return { unreadable, total: one(totals).total, page, pageSize }
}

/** Deletes the counts of old days. */
export async function purgeUnreadables(db: Db): Promise<void> {
  await db.execute(sql`delete from x_unreadables where day <= (now() at time zone 'UTC')::date - ${KEPT_DAYS}::int`)
}
