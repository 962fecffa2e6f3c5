import { type SQL, sql } from 'drizzle-orm'

// Counts change in the statement that changes the rows, which it locks first. Several count rows are locked by key.

/** SQL: a statement that adds changes to the counts of suppressions. @param changes a relation with workspace_id and n */
export function countSuppressions(changes: SQL): SQL {
  return sql`
    insert into suppression_counts as counts (workspace_id, count)
    select workspace_id, sum(n) from ${changes} group by workspace_id having sum(n) <> 0 order by workspace_id
    on conflict (workspace_id) do update set count = counts.count + excluded.count`
}
