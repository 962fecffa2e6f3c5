import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Db } from '../src/db/open.ts'

/** A node of PostgreSQL's EXPLAIN output. */
interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** A read of a table, and whether it uses an index condition. */
interface Read {
  table: string
  by: 'index' | 'whole index' | 'whole table'
  statement: string
}

/**
 * Returns a database handle that explains each statement before it runs, on the same connection.
 * Sequential scans are made expensive, so they appear only if no index is usable.
 */
export async function openPlanned(url: string): Promise<{ db: Db; reads: Read[] }> {
  const reads: Read[] = []
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('set enable_seqscan = off')
  const run = client.query.bind(client) as (
    ...args: unknown[]
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
  // A bitmap scan's index is in its child node, and always has a condition.
  const isLed = plan['Node Type'] === 'Bitmap Heap Scan' || plan['Index Cond'] !== undefined
  const by = isLed ? 'index' : plan['Index Name'] ? 'whole index' : 'whole table'
  return [...below, { table, by, statement }]
}
