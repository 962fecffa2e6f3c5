import { reports } from '../src/domains/overview/reports/tables.ts'
import { matching, type Writer } from './matching.ts'

/** Inserts shared reports of March 2026 that expire at `expiresAt`. Their links cannot be opened. */
export async function insertReports(
  { db }: Writer,
  { id, workspaceId }: { id: string; workspaceId: string },
  count: number,
  expiresAt: Date,
): Promise<void> {
  const month = { kind: 'month' as const, month: '2026-03', title: 'March', includesPeople: false }
  const report = { workspaceId, createdBy: id, ...month, sealedToken: 'a-secret', expiresAt }
  const rows = Array.from({ length: count }, (_, n) => ({ ...report, tokenHash: `a-secret of ${id} ${n}` }))
  await db.insert(reports).values(rows)
}

/** Lets a report expire now. */
export async function expireReport({ db }: Writer, id: string): Promise<void> {
  await db.update(reports).set({ expiresAt: new Date() }).where(matching(reports, { id }))
}
