import { sql } from 'drizzle-orm'
import { countSuppressions } from '../src/core/people/counts.ts'
import { suppressions } from '../src/core/tables/suppressions.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Suppression = typeof suppressions.$inferInsert

/** Suppresses people by their normalized handle, without the other effects of suppressing. */
export async function insertSuppressions(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  ...people: (Partial<Suppression> & { twitterHandle: string })[]
): Promise<void> {
  const rows = people.map((person) => ({ workspaceId, reason: 'manual' as const, ...person }))
  const added = db
    .insert(suppressions)
    .values(rows)
    .returning({ workspace_id: suppressions.workspaceId, n: sql`1`.as('n') })
  await db.execute(sql`with added as ${added} ${countSuppressions(sql`added`)}`)
}

/** Suppresses person_1, person_2 and so on, each a second earlier than the previous one. */
export async function suppressMany(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  count: number,
): Promise<void> {
  await db.execute(sql`
    with added as (
      insert into suppressions (workspace_id, twitter_handle, reason, created_at)
      select ${workspaceId}::uuid, 'person_' || n, 'import', now() - make_interval(secs => n)
      from generate_series(1, ${count}::int) n
      returning workspace_id, 1 as n
    )
    ${countSuppressions(sql`added`)}`)
}

/** Backdates the suppressions to `days` days ago. */
export async function ageSuppressions({ db }: Writer, which: Which<typeof suppressions>, days: number): Promise<void> {
  const createdAt = sql`now() - make_interval(days => ${days})`
  await db.update(suppressions).set({ createdAt }).where(matching(suppressions, which))
}
