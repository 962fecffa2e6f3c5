import { sql } from 'drizzle-orm'
import { imports } from '../src/domains/leads/imports/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Import = typeof imports.$inferInsert

/** Stores running imports of files with 1,000 lines. */
export async function insertImports(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  ...rows: Omit<Import, 'workspaceId' | 'of'>[]
): Promise<void> {
  await db.insert(imports).values(rows.map((row) => ({ workspaceId, of: 1_000, ...row })))
}

/** Sets the imports to running, with their last sign of life `seconds` seconds ago. */
export async function silenceImports({ db }: Writer, which: Which<typeof imports>, seconds: number): Promise<void> {
  const updatedAt = sql`clock_timestamp() - make_interval(secs => ${seconds})`
  await db.update(imports).set({ status: 'running', updatedAt }).where(matching(imports, which))
}
