import type { CsvRecord } from '@x-automated/contract/csv'
import type { ContactBasis, ImportResult } from '@x-automated/contract/leads'
import { TAG_COLORS, TAGS_MAX } from '@x-automated/contract/tags'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { type Owner, openStage, settleStage, stage, unstageDoubles, unstageSuppressed } from './engine-stage.ts'
import { type Columns, type ImportedLead, readHeader, readLine } from './rules.ts'

/*
 * How a file of leads is taken in: read line by line, staged, settled.
 */

/** Rows a statement. */
const BATCH = 1_000

/** An answer names at most this many refused lines; `rejectedCount` is all of them. */
const REJECTED_MAX = 10_000

/** The lines of a file that could not be taken: all are counted, the first ones named. */
export function rejectedLines() {
  const named: { line: number; problem: string }[] = []
  let count = 0
  return {
    add(line: number, problem: string): void {
      count += 1
      if (named.length < REJECTED_MAX) named.push({ line, problem })
    },
    /** More than can be named, in bulk. @param some of them, `total` in all */
    addMany(some: readonly { line: number; problem: string }[], total: number): void {
      named.push(...some)
      count += total
    },
    answer: () => ({
      rejected: named.sort((a, b) => a.line - b.line).slice(0, REJECTED_MAX),
      rejectedCount: count,
    }),
  }
}

/** How far an import is: bytes of the file that are read, then lines that are saved. */
export interface ImportProgress {
  stage: 'reading' | 'saving'
  done: number
  of: number
}

export interface ImportOptions {
  /** What each column is, in place of the file's first line; '' passes it over. */
  columns?: readonly string[]
  /** The contact basis of everyone of whom the file names none. */
  basis?: { basis: ContactBasis; source: string | null } | null
  onProgress?: (progress: ImportProgress) => void
  /** What else is to be so if and only if the leads are in: called with the result in their transaction. */
  onDone?: (tx: Db, result: ImportResult) => Promise<void>
  /** Stops it before it goes on with the next lines; nothing of the file is kept. Throws its reason. */
  signal?: AbortSignal
}

/** A file's records from the beginning, and how far reading is. */
export interface ImportSource {
  records(): AsyncIterable<CsvRecord>
  bytesRead(): number
  bytes: number
  /** What stands between its cells, once the first record is read. */
  delimiter(): string | null
}

/**
 * Takes in a file of leads, all of its good lines or, on a fault, none. The same file again changes nothing.
 * @throws Refusal INVALID_INPUT: an empty file, one without a column twitter_handle, or with more tags than there may be
 */
export async function importLeads(
  db: Db,
  actor: Actor,
  source: ImportSource,
  { columns: named, basis, onProgress = () => {}, onDone = async () => {}, signal }: ImportOptions = {},
): Promise<ImportResult> {
  return transact(db, async (tx) => {
    const rejected = rejectedLines()
    await allowLongStatements(tx)
    await openStage(tx)
    let columns: Columns | null = null
    let batch: { line: number; lead: ImportedLead }[] = []
    for await (const record of source.records()) {
      if (!columns) {
        columns = headerOf(record, named)
        continue
      }
      if ('problem' in record) {
        rejected.add(record.line, record.problem)
        continue
      }
      const lead = readLine(columns, record.fields, source.delimiter())
      if ('problem' in lead) rejected.add(record.line, lead.problem)
      else batch.push({ line: record.line, lead })
      if (batch.length === BATCH) {
        await stage(tx, batch)
        batch = []
        onProgress({ stage: 'reading', done: source.bytesRead(), of: source.bytes })
        signal?.throwIfAborted()
      }
    }
    if (!columns) throw new Refusal('INVALID_INPUT', 'The file is empty.')
    await stage(tx, batch)
    if (basis)
      await tx.execute(sql`
        update incoming_leads set basis = ${basis.basis}, basis_source = ${basis.source} where basis is null`)
    await tx.execute(sql`analyze incoming_leads`)
    for (const key of [sql`lower(twitter_handle)`, sql`x_user_id`]) {
      const { doubles, total } = await unstageDoubles(tx, key, REJECTED_MAX)
      const problems = doubles.map(({ line, first }) => ({ line, problem: `is a duplicate of line ${first}` }))
      rejected.addMany(problems, total)
    }
    for (const line of await unstageSuppressed(tx, actor.workspaceId)) rejected.add(line, 'is on your suppression list')
    const owner = { workspaceId: actor.workspaceId, userId: actor.userId }
    signal?.throwIfAborted()
    const counts = await settleStage(tx, owner, 'parts', (done, of) => {
      onProgress({ stage: 'saving', done, of })
      signal?.throwIfAborted()
    })
    await tagStaged(tx, owner)
    const result = { ...counts, ...rejected.answer() }
    await onDone(tx, result)
    return result
  })
}

function headerOf(record: CsvRecord, named: readonly string[] | undefined): Columns {
  if ('problem' in record) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
  if (named && named.length !== record.fields.length)
    throw invalidField('columns', `names ${named.length} columns where the file has ${record.fields.length}`)
  const columns = readHeader(named ?? record.fields)
  if ('problem' in columns) throw new Refusal('INVALID_INPUT', columns.problem)
  return columns
}

/** Gives the staged people the tags that the file names; those that are not there yet are made. */
async function tagStaged(tx: Db, { workspaceId }: Owner): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(sql`
    select min(said.tag) as name from incoming_leads i, unnest(i.tags) said(tag) group by lower(said.tag) order by 1 limit ${TAGS_MAX + 1}`)
  if (rows.length === 0) return
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('tags of ' || ${workspaceId}, 0))`)
  const names = rows.map(({ name }) => name)
  const { rows: counted } = await tx.execute<{ known: number; wanted: number }>(sql`
    select count(*)::int as known, (count(*) filter (where lower(name) in (select lower(n) from unnest(${sql.param(names)}::text[]) n)))::int as wanted
    from tags where workspace_id = ${workspaceId}`)
  const { known = 0, wanted = 0 } = counted[0] ?? {}
  if (known + names.length - wanted > TAGS_MAX)
    throw new Refusal('INVALID_INPUT', `The file names too many tags: a workspace has at most ${TAGS_MAX}.`)
  await tx.execute(sql`
    insert into tags (workspace_id, name, color)
    select ${workspaceId}, name, (${sql.param([...TAG_COLORS])}::text[])[1 + (${known} + place::int - 1) % ${TAG_COLORS.length}]
    from unnest(${sql.param(names)}::text[]) with ordinality as named(name, place)
    on conflict (workspace_id, lower(name)) do nothing`)
  await tx.execute(sql`
    insert into lead_tags (tag_id, lead_id)
    select t.id, i.lead_id from incoming_leads i, unnest(i.tags) said(tag)
    join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(said.tag)
    order by 1, 2 on conflict do nothing`)
}
