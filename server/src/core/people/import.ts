import { IMPORT_REJECTED_NAMED } from '@x-automated/contract/leads/import-limits'
import type { ContactBasis, ImportResult } from '@x-automated/contract/leads/leads'
import { TAGS_MAX } from '@x-automated/contract/leads/tags'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { createTags } from '../neighbors.ts'
import { TOO_FULL } from './columns.ts'
import { addTaggings } from './counts.ts'
import { type LeftOutIds, leaveOutSharedIds } from './identity.ts'
import { type Owner, type StagedLines, settleStage, stageRows, unstageDuplicates, unstageSuppressed } from './stage.ts'
import { openStage } from './stage-table.ts'

// Imports a file of leads: reads, stages and saves it.

/** A row that has a problem. */
export interface LineProblem {
  line: number
  problem: string
}

/** Collects the problem rows of an import: counts all of them and keeps the first ones. */
function lineProblems() {
  let lines: LineProblem[] = []
  let count = 0
  return {
    /** Adds problem rows. @param some the first ones of `total` rows */
    add(some: readonly LineProblem[], total: number): void {
      lines = lines.concat(some).sort((a, b) => a.line - b.line)
      lines.length = Math.min(lines.length, IMPORT_REJECTED_NAMED)
      count += total
    },
    answer: () => ({ lines, count }),
  }
}

/** Collects what an import reports: rejected rows, and rows imported without their X id. */
export function importReport() {
  const rejected = lineProblems()
  const warnings = lineProblems()
  return {
    reject: rejected.add,
    warn: warnings.add,
    addPart(part: FilePart): void {
      rejected.add(part.rejected, part.rejectedCount)
      warnings.add(part.warnings, part.warningCount)
    },
    answer() {
      const [{ lines, count }, warned] = [rejected.answer(), warnings.answer()]
      return { rejected: lines, rejectedCount: count, warnings: warned.lines, warningCount: warned.count }
    },
  }
}

/** Progress of an import: bytes read, then rows saved. */
export interface ImportProgress {
  stage: 'reading' | 'saving'
  done: number
  of: number
}

export interface ImportOptions {
  /** The meaning of each column, replacing the header; '' skips a column. */
  columns?: readonly string[]
  /** The contact basis of rows without one. */
  basis?: { basis: ContactBasis; source: string | null } | null
  onProgress?: (progress: ImportProgress) => void
  /** Called with the result in the transaction that saves the leads. */
  onDone?: (tx: Db, result: ImportResult) => Promise<void>
  /** Stops the import before the next part, so that nothing is saved. The signal's reason is thrown. */
  signal?: AbortSignal
}

/** The next part of a file. */
export interface FilePart {
  /** A JSON list of the rows to stage. */
  rows: string
  rejected: LineProblem[]
  rejectedCount: number
  /** Rows to stage without their X id, which is doubtful. */
  warnings: LineProblem[]
  warningCount: number
  /** Bytes read so far, including earlier parts. */
  bytesRead: number
}

/** A file of leads that has been received completely. */
export interface ImportSource {
  bytes: number
  /** Runs `work` when it is this file's turn: only a few files are imported at a time. Throws the signal's reason. */
  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Reads the file from its beginning. @throws Refusal INVALID_INPUT as `importLeads` */
  read(columns?: readonly string[]): AsyncIterable<FilePart>
}

/**
 * Imports all valid rows of a file, or none if it fails. Importing it again changes nothing.
 * @throws Refusal INVALID_INPUT: no rows, no column twitter_handle, too many invalid rows or tags;
 * TOO_MANY: the workspace is full
 */
export async function importLeads(
  db: Db,
  actor: Actor,
  source: Pick<ImportSource, 'bytes' | 'read'>,
  { columns, basis, onProgress = () => {}, onDone = async () => {}, signal }: ImportOptions = {},
): Promise<ImportResult> {
  return transact(db, async (tx) => {
    const report = importReport()
    await allowLongStatements(tx)
    await openStage(tx)
    for await (const part of source.read(columns)) {
      report.addPart(part)
      // Call it for empty parts too: PostgreSQL ends a transaction that is idle for a minute.
      await stageRows(tx, part.rows)
      onProgress({ stage: 'reading', done: part.bytesRead, of: source.bytes })
      signal?.throwIfAborted()
    }
    if (basis)
      await tx.execute(sql`
        update incoming_leads set basis = ${basis.basis}, basis_source = ${basis.source} where basis is null`)
    await tx.execute(sql`analyze incoming_leads`)
    const { duplicates, total } = await unstageDuplicates(tx, IMPORT_REJECTED_NAMED)
    report.reject(
      duplicates.map(({ line, first }) => ({ line, problem: `is a duplicate of line ${first}` })),
      total,
    )
    const reject = ({ lines, total }: StagedLines, problem: string) =>
      report.reject(
        lines.map((line) => ({ line, problem })),
        total,
      )
    const warn = ({ warnings, total }: LeftOutIds) => report.warn(warnings, total)
    warn(await leaveOutSharedIds(tx, IMPORT_REJECTED_NAMED))
    reject(await unstageSuppressed(tx, actor.workspaceId, IMPORT_REJECTED_NAMED), 'is on your suppression list')
    const owner = { workspaceId: actor.workspaceId, userId: actor.userId }
    signal?.throwIfAborted()
    const { overfull, leftOut, ...counts } = await settleStage(tx, owner, 'file', {
      named: IMPORT_REJECTED_NAMED,
      onSaved(done, of) {
        onProgress({ stage: 'saving', done, of })
        signal?.throwIfAborted()
      },
    })
    warn(leftOut)
    reject(overfull, `would give this lead ${TOO_FULL}`)
    await tagStaged(tx, owner)
    const result = { ...counts, ...report.answer() }
    await onDone(tx, result)
    return result
  })
}

/** Tags the staged leads as the file says, and creates missing tags. */
async function tagStaged(tx: Db, { workspaceId }: Owner): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(sql`
    select min(said.tag) as name
    from incoming_leads i, unnest(i.tags) said(tag)
    group by lower(said.tag)
    order by 1
    limit ${TAGS_MAX + 1}`)
  if (rows.length === 0) return
  await createTags(
    tx,
    { workspaceId },
    rows.map(({ name }) => name),
  )
  const taggings = sql`
    select t.id, i.lead_id, now()
    from incoming_leads i, unnest(i.tags) said(tag)
    join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(said.tag)
    order by 1, 2`
  await tx.execute(sql`${addTaggings(taggings)} select count(*) from added`)
}
