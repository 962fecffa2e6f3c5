import { sql } from 'drizzle-orm'
import { Connection, SILENCE_MS } from './connection.ts'
import type { Db } from './open.ts'

const LONG_MS = 10 * 60_000

/** Allows statements on hundreds of thousands of rows more time, until the transaction ends. */
export async function allowLongStatements(tx: Db): Promise<void> {
  const { client } = (tx as unknown as { session: { client: unknown } }).session
  if (client instanceof Connection) client.allowSilence(LONG_MS + SILENCE_MS)
  await tx.execute(sql`set local statement_timeout = ${LONG_MS}`.inlineParams())
}
