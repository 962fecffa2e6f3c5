import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../src/db/connection.ts'
import { isUnavailable } from '../src/db/unavailable.ts'

/** A clock that tests move on. JavaScript of this process and one database show the same time, and it never goes back. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  step(ms: number): Promise<void>
  /** Has the defaults of columns show this time again, in tables that were made since. */
  bind(): Promise<void>
  /** Gives JavaScript its own clock back. */
  close(): Promise<void>
}

/**
 * What PostgreSQL asks for the time, in a schema that stands before its own: an unqualified now() is this one.
 */
const CLOCK = `
  create schema clock;
  create table clock.ahead (by interval not null);
  insert into clock.ahead values ('0');
  create function clock.now() returns timestamptz stable parallel safe language sql
    as 'select pg_catalog.now() + (select by from clock.ahead)';
  create function clock.clock_timestamp() returns timestamptz volatile parallel safe language sql
    as 'select pg_catalog.clock_timestamp() + (select by from clock.ahead)';
  do $$ begin execute format('alter database %I set search_path = clock, pg_catalog, public', current_database()); end $$`

/** Defaults of columns are bound to a function when they are made, so they are set again. */
const BIND = `
  do $$
  declare d record;
  begin
    for d in
      select adrelid::regclass as relation, attname as name from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
      where pg_get_expr(adbin, adrelid) = 'now()'
    loop
      execute format('alter table %s alter column %I set default clock.now()', d.relation, d.name);
    end loop;
  end $$`

/** Over some seconds. */
const RECONNECTS_MAX = 200

/** Puts a database under a clock of its own, and this process with it: before anything is connected to it. */
export async function openClock(databaseUrl: string): Promise<Clock> {
  let connection: Connection | null = null
  /** Tests may break its connection, too: then it connects again. Each statement may run twice. */
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
  // The same class, so that whatever is a Date stays one.
  globalThis.Date = new Proxy(ownDate, {
    construct: (target, given, asked) => Reflect.construct(target, given.length > 0 ? given : [now()], asked),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  performance.now = () => ownPerformanceNow.call(performance) + aheadMs

  return {
    now,
    step(ms) {
      stepping = stepping.then(async () => {
        // The database first, as it is behind by the way there.
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
