import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Services } from '../../server/src/app.ts'
import type { Db } from '../../server/src/db/open.ts'
import { claimDue, TIMING } from '../../server/src/domains/outreach/sending/engine.ts'
import { record, send } from '../../server/src/domains/outreach/sending/engine-sending.ts'
import { fillQueue } from './seed.ts'

/** A captured statement. Each parameter is a name from the cycle, or a fixed value. */
interface Statement {
  text: string
  parameters: ({ name: string } | { value: unknown })[]
}
export interface Cycle {
  /** The statements up to the claim's commit, followed by the rest. */
  claim: Statement[]
  rest: Statement[]
}

/** Runs one send cycle and captures its statements. */
export async function catchCycle(services: Services): Promise<Cycle> {
  await fillQueue(services.database, services.sealer, { accounts: 1, messages: 2 })
  const client = await services.database.connect()
  const log: { text: string; values: unknown[] }[] = []
  const logger = { logQuery: (text: string, values: unknown[]) => void log.push({ text, values }) }
  const db = drizzle(client, { logger }) as unknown as Db
  const needs = { ...services, database: { ...services.database, db } }
  const { claimed } = await claimDue(db, 1, services.env)
  if (!claimed) throw new Error('nothing was claimed')
  const claims = log.splice(0)
  const verdict = await send(needs, claimed, TIMING)
  if (verdict.kind !== 'sent') throw new Error(`not sent: ${verdict.kind}`)
  await record(db, [{ claimed, verdict, failures: 0 }])
  await client.end()

  const names = new Map<unknown, string>([
    [claimed.id, 'dmId'],
    [claimed.lease, 'lease'],
    [claimed.campaignId, 'campaignId'],
    [claimed.accountId, 'accountId'],
    [verdict.eventId, 'eventId'],
  ])
  const named = ({ text, values }: { text: string; values: unknown[] }): Statement => ({
    text,
    parameters: values.map((value) => {
      const name = names.get(Array.isArray(value) ? value[0] : value)
      return name ? { name: Array.isArray(value) ? `[${name}]` : name } : { value }
    }),
  })
  return { claim: claims.map(named), rest: log.map(named) }
}

/** Replays the captured statements through `pg`, with one connection per hand. */
export async function replay(url: string, cycle: Cycle, concurrency: number, isDone: Promise<void>): Promise<void> {
  let over = false
  void isDone.then(() => {
    over = true
  })
  const [begin, commit] = [cycle.claim.at(0) as Statement, cycle.claim.at(-1) as Statement]
  const looks = cycle.claim.slice(1, -1)
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      while (!over) {
        await run(client, begin, {})
        const names = await claim(client, looks)
        await run(client, commit, {})
        if (names) for (const statement of cycle.rest) await run(client, statement, names)
        else await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await client.end()
    }),
  )
}

/** The parameter values of a cycle, by the names from `catchCycle`. */
type Names = Record<string, unknown>

/** @returns values for the statements that follow; null: nothing is queued */
async function claim(client: pg.Client, looks: Statement[]): Promise<Names | null> {
  const names: Names = { eventId: randomUUID() }
  for (const statement of looks) {
    const row = (await run(client, statement, names)).rows[0]
    if (!row) return null
    // In statement order: the due account, its next message, the claimed message.
    if ('ids' in row) names.accountId = row.id
    if ('lease' in row) names.lease = row.lease
    if (!('dmId' in row)) continue
    names.dmId = row.dmId
    names.campaignId = row.campaignId
    if (row.dmId) continue
    await client.query('update x_accounts set next_send_at = null where id = $1', [names.accountId])
    return claim(client, looks)
  }
  return names
}

function run(client: pg.Client, { text, parameters }: Statement, names: Names): Promise<pg.QueryResult> {
  const bound = parameters.map((parameter) => {
    if (!('name' in parameter)) return parameter.value
    const isList = parameter.name.startsWith('[')
    const value = names[isList ? parameter.name.slice(1, -1) : parameter.name]
    return isList ? [value] : value
  })
  return client.query(text, bound)
}
