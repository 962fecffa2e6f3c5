import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Db } from '../src/db/open.ts'

/** What PostgreSQL means to do for a statement: EXPLAIN's tree. */
interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** A read of a table, and whether an index leads it there. */
export interface Read {
  table: string
  by: 'index' | 'whole index' | 'whole table'
  statement: string
}

/**
 * A database's handle that asks for the plan of each statement right before it runs, on the same connection.
 * Sequential scans are made so dear that there is one only where no index would serve: small tables tell what large ones would do.
 */
export async function openPlanned(url: string): Promise<{ db: Db; reads: Read[] }> {
  const reads: Read[] = []
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('set enable_seqscan = off')
  const run = client.query.bind(client) as (
    ...given: unknown[]
  ) => Promise<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>
  client.query = (async (config: string | pg.QueryConfig, values?: unknown[]) => {
    const text = typeof config === 'string' ? config : config.text
    if (/^\s*(with|select|insert|update|delete)\b/i.test(text)) {
      const { rows } = await run({
        text: `explain (format json) ${text}`,
        values: values ?? (config as pg.QueryConfig).values,
      })
      for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) reads.push(...readsOf(Plan, text))
    }
    return values === undefined ? run(config) : run(config, values)
  }) as unknown as typeof client.query
  return { db: drizzle(client) as unknown as Db, reads }
}

function readsOf(plan: Plan, statement: string): Read[] {
  const below = (plan.Plans ?? []).flatMap((part) => readsOf(part, statement))
  const table = plan['Relation Name']
  if (!table || !plan['Node Type'].endsWith('Scan')) return below
  // The index of a bitmap stands one below, and always has a condition.
  const isLed = plan['Node Type'] === 'Bitmap Heap Scan' || plan['Index Cond'] !== undefined
  const by = isLed ? 'index' : plan['Index Name'] ? 'whole index' : 'whole table'
  return [...below, { table, by, statement }]
}
