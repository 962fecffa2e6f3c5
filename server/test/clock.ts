import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../src/db/connection.ts'
import { isUnavailable } from '../src/db/unavailable.ts'

/**
 * A clock that tests advance, for this process's JavaScript and one database. It never goes back.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  step(ms: number): Promise<void>
  /** Makes column defaults use this clock in tables that were created after `openClock`. */
  bind(): Promise<void>
  /** Restores JavaScript's own clock. */
  close(): Promise<void>
}

/** A schema before pg_catalog in the search path, so that an unqualified now() uses this clock. */
const CLOCK = `
  create schema clock;
  create table clock.ahead (by interval not null);
  insert into clock.ahead values ('0');
  create function clock.now() returns timestamptz stable parallel safe language sql
    as 'select pg_catalog.now() + (select by from clock.ahead)';
  create function clock.clock_timestamp() returns timestamptz volatile parallel safe language sql
    as 'select pg_catalog.clock_timestamp() + (select by from clock.ahead)';
  do $$ begin execute format('alter database %I set search_path = clock, pg_catalog, public', current_database()); end $$`

/**
 * Sets column defaults again, because they keep the function that they were created with. The search
 * path decides which of the two names PostgreSQL shows.
 */
const BIND = `
  do $$
  declare d record;
  begin
    for d in
      select adrelid::regclass as relation, attname as name from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
      where pg_get_expr(adbin, adrelid) in ('now()', 'pg_catalog.now()')
    loop
      execute format('alter table %s alter column %I set default clock.now()', d.relation, d.name);
    end loop;
  end $$`

/** Maximum tries per statement, 50 ms apart. */
const RECONNECTS_MAX = 200

/**
 * Puts this process and a database under a clock. Call it before anything connects to the database.
 */
export async function openClock(databaseUrl: string): Promise<Clock> {
  let connection: Connection | null = null
  /** Reconnects if a test broke the connection, so each statement may run twice. */
  const run = async (text: string, values: unknown[] = []): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        if (!connection) {
          const opened = new Connection(databaseUrl)
          opened.once('end', () => {
            if (connection === opened) connection = null
          })
          await opened.connect()
          connection = opened
        }
        await connection.query(text, values)
        return
      } catch (error) {
        if (tries === RECONNECTS_MAX || !isUnavailable(error)) throw error
        connection = null
        await sleep(50)
      }
    }
  }
  await run(CLOCK)
  await run(BIND)

  let aheadMs = 0
  let stepping = Promise.resolve()
  const { Date: ownDate } = globalThis
  const ownNow = Date.now
  const ownPerformanceNow = performance.now
  const now = () => ownNow() + aheadMs
  // A proxy of the same class, so that `instanceof Date` still works.
  globalThis.Date = new Proxy(ownDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  performance.now = () => ownPerformanceNow.call(performance) + aheadMs

  return {
    now,
    step(ms) {
      stepping = stepping.then(async () => {
        // Advance the database first, because it already lags by one round trip.
        await run(`update clock.ahead set by = make_interval(secs => $1)`, [(aheadMs + ms) / 1_000])
        aheadMs += ms
      })
      return stepping
    },
    async bind() {
      await run(BIND)
    },
    async close() {
      globalThis.Date = ownDate
      performance.now = ownPerformanceNow
      await connection?.end()
    },
  }
}
