import type { Reason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'

const inline = (text: string) => sql`${text}`.inlineParams()

/** SQL: a reason as jsonb. @param params SQL expressions by name; nulls are left out */
export function reasonSql(code: Reason['code'], params: Record<string, SQL> = {}): SQL {
  const pairs = Object.entries(params).map(([name, value]) => sql`${inline(name)}, ${value}`)
  return sql`
    jsonb_build_object(
      'code', ${inline(code)}, 'params', jsonb_strip_nulls(jsonb_build_object(${sql.join(pairs, sql`, `)}))
    )`
}

/** SQL: a known reason as jsonb, or null. */
export function reasonValue(reason: Reason | null): SQL {
  return sql`${reason && JSON.stringify(reason)}::jsonb`
}

/** SQL: why an enrollment was stopped whose message was skipped. @param why SQL: the reason of the message */
export function skippedReason(why: SQL): SQL {
  return sql`
    jsonb_build_object(
      'code', 'skipped', 'params', (${why}) -> 'params' || jsonb_build_object('skip', (${why}) ->> 'code'))`
}
