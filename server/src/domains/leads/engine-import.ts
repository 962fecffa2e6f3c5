import { IMPORT_REJECTED_NAMED } from '@x-automated/contract/import-limits'
import type { ContactBasis, ImportResult } from '@x-automated/contract/leads'
import { TAG_COLORS, TAGS_MAX } from '@x-automated/contract/tags'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import {
  type Owner,
  openStage,
  type StagedLines,
  settleStage,
  stageRows,
  unstageDoubles,
  unstageSuppressed,
} from './engine-stage.ts'
import { LEAD_METADATA_MAX } from './rules.ts'

/*
 * How a file of leads is taken in: read line by line, staged, settled.
 */

/** A line of a file that was not imported, and why. */
export interface RejectedLine {
  line: number
  problem: string
}

/** The lines of a file that could not be taken: all are counted, the first ones named. */
export function rejectedLines() {
  let named: RejectedLine[] = []
  let count = 0
  return {
    /** @param some the first of them, `total` in all */
    add(some: readonly RejectedLine[], total: number): void {
      named = named.concat(some).sort((a, b) => a.line - b.line)
      named.length = Math.min(named.length, IMPORT_REJECTED_NAMED)
      count += total
    },
    answer: () => ({ rejected: named, rejectedCount: count }),
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

/** What was read from a file since the part before. */
export interface FilePart {
  /** A list in JSON: what the domain makes of each good line. */
  rows: string
  rejected: RejectedLine[]
  rejectedCount: number
  /** Of the whole file, so far. */
  bytesRead: number
}

/** A file of leads that was received whole. */
export interface ImportSource {
  bytes: number
  /** Runs `work` when the file's turn has come: only a few files are imported at the same time. Throws the signal's reason. */
  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The file from its beginning. @throws Refusal INVALID_INPUT: see `importLeads` */
  read(columns?: readonly string[]): AsyncIterable<FilePart>
}

/**
 * Takes in a file of leads, all of its good lines or, on a fault, none. The same file again changes nothing.
 * @throws Refusal INVALID_INPUT: an empty file, one without a column twitter_handle, with too many bad lines, or with more tags than there may be
 */
export async function importLeads(
  db: Db,
  actor: Actor,
  source: Pick<ImportSource, 'bytes' | 'read'>,
  { columns, basis, onProgress = () => {}, onDone = async () => {}, signal }: ImportOptions = {},
): Promise<ImportResult> {
  return transact(db, async (tx) => {
    const rejected = rejectedLines()
    await allowLongStatements(tx)
    await openStage(tx)
    for await (const part of source.read(columns)) {
      rejected.add(part.rejected, part.rejectedCount)
      // Also without rows: PostgreSQL ends a transaction that is idle for a minute.
      await stageRows(tx, part.rows)
      onProgress({ stage: 'reading', done: part.bytesRead, of: source.bytes })
      signal?.throwIfAborted()
    }
    if (basis)
      await tx.execute(sql`
        update incoming_leads set basis = ${basis.basis}, basis_source = ${basis.source} where basis is null`)
    await tx.execute(sql`analyze incoming_leads`)
    for (const key of [sql`lower(twitter_handle)`, sql`x_user_id`]) {
      const { doubles, total } = await unstageDoubles(tx, key, IMPORT_REJECTED_NAMED)
      const problems = doubles.map(({ line, first }) => ({ line, problem: `is a duplicate of line ${first}` }))
      rejected.add(problems, total)
    }
    const reject = ({ lines, total }: StagedLines, problem: string) =>
      rejected.add(
        lines.map((line) => ({ line, problem })),
        total,
      )
    reject(await unstageSuppressed(tx, actor.workspaceId, IMPORT_REJECTED_NAMED), 'is on your suppression list')
    const owner = { workspaceId: actor.workspaceId, userId: actor.userId }
    signal?.throwIfAborted()
    const { overfull, ...counts } = await settleStage(tx, owner, 'parts', {
      named: IMPORT_REJECTED_NAMED,
      onSaved(done, of) {
        onProgress({ stage: 'saving', done, of })
        signal?.throwIfAborted()
      },
    })
    reject(
      overfull,
      `would give this lead more than ${LEAD_METADATA_MAX.toLocaleString('en')} characters in custom columns`,
    )
    await tagStaged(tx, owner)
    const result = { ...counts, ...rejected.answer() }
    await onDone(tx, result)
    return result
  })
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
