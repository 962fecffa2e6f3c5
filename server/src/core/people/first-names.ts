import { firstNameOf } from '@x-automated/contract/first-name'
import { ownFirstName } from '@x-automated/contract/leads/column-names'
import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'

/** The values from which a lead's first name is read. */
interface Named {
  name: string | null
  twitterHandle: string
  metadata?: Record<string, unknown> | null
}

/** A lead's first name: from a column of a file, otherwise from the name; null: neither is known. */
export function firstNameColumns({ name, twitterHandle, metadata }: Named) {
  const own = ownFirstName(metadata ?? {})
  if (own !== null) return { firstName: own, firstNameFrom: 'file' as const }
  return name === null ? null : { firstName: firstNameOf(name, twitterHandle), firstNameFrom: 'name' as const }
}

/** Leads per transaction: few enough that no transaction holds locks for long. */
const PART = 500

/**
 * Finds the first names of leads stored before the product stored first names. Any number of
 * processes may run this. @param part leads per transaction
 */
export async function findFirstNames(db: Db, part = PART): Promise<void> {
  while ((await transact(db, (tx) => findSome(tx, part))) > 0);
}

/** Finds first names in one workspace. @returns the number of leads */
async function findSome(tx: Db, part: number): Promise<number> {
  const { rows } = await tx.execute<Named & Record<string, unknown>>(sql`
    select id, name, twitter_handle as "twitterHandle", metadata
    from leads
    where workspace_id = (select workspace_id from leads where first_name_from is null order by 1 limit 1)
      and first_name_from is null
    order by id
    limit ${part}
    for no key update skip locked`)
  const values = rows.map(({ id, ...lead }) => ({ id, ...firstNameColumns(lead) }))
  await tx.execute(sql`
    update leads l set first_name = v."firstName", first_name_from = v."firstNameFrom"
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as v(id uuid, "firstName" text, "firstNameFrom" text)
    where l.id = v.id`)
  return rows.length
}
