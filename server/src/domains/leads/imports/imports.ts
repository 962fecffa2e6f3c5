import type { InputOf } from '@x-automated/contract/contract'
import { ERROR_TEXT } from '@x-automated/contract/errors'
import { IMPORTS_KEPT } from '@x-automated/contract/leads/import-limits'
import type { ImportResult } from '@x-automated/contract/leads/leads'
import { and, desc, eq, getTableColumns, ne, not, notInArray, or, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { type ImportOptions, type ImportProgress, type ImportSource, importLeads } from '../../../core/people/import.ts'
import { addStagedEntries } from '../../../core/people/list-entries.ts'
import { livingWorkers, type RequestWorker } from '../../../db/liveness.ts'
import { one } from '../../../db/one.ts'
import type { Database, Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { publishEvents } from '../../platform/events/events.ts'
import { insertRow } from '../lists/lists.ts'
import { leadLists } from '../lists/tables.ts'
import { DIED, SILENT_SECONDS_MAX, secondsLeft, stateOf } from './rules.ts'
import { imports } from './tables.ts'

const { rejected, warnings, workerId: _, ...listed } = getTableColumns(imports)
/** Ages in seconds, by the database's clock, which also writes `updatedAt`. */
const ages = {
  elapsedSeconds: sql<number>`extract(epoch from clock_timestamp() - ${imports.createdAt})::float`,
  silentSeconds: sql<number>`extract(epoch from clock_timestamp() - ${imports.updatedAt})::float`,
}
type Row = Omit<typeof imports.$inferSelect, 'rejected' | 'warnings' | 'workerId'> & {
  elapsedSeconds: number
  silentSeconds: number
}

function view({ elapsedSeconds, silentSeconds, ...row }: Row) {
  const { status, error } = stateOf(row, silentSeconds)
  const isRunning = status === 'running'
  return {
    ...row,
    status,
    error,
    secondsLeft: isRunning ? secondsLeft(row.stage, row.done, row.of, elapsedSeconds) : null,
  }
}

const inOwn = (actor: Actor) => eq(imports.workspaceId, actor.workspaceId)
const isRunning = (id: string) => and(eq(imports.id, id), eq(imports.status, 'running'))
const isSilent = sql`${imports.updatedAt} < clock_timestamp() - make_interval(secs => ${SILENT_SECONDS_MAX})`
/** SQL: the import is running and does not count as dead. */
const isAlive = (id: string) => and(isRunning(id), not(isSilent))

/** Marks imports of dead processes as failed. */
export async function failAbandonedImports(db: Db): Promise<void> {
  const isOfDead = sql`(${imports.workerId} is not null and ${imports.workerId} not in (${livingWorkers}))`
  await db
    .update(imports)
    .set({ status: 'failed', error: DIED })
    .where(and(eq(imports.status, 'running'), or(isSilent, isOfDead)))
}

export async function list(db: Db, actor: Actor, { page, pageSize }: InputOf<'imports', 'list'>) {
  const [rows, total] = await Promise.all([
    db
      .select({ ...listed, ...ages })
      .from(imports)
      .where(inOwn(actor))
      .orderBy(desc(imports.createdAt), desc(imports.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(imports, inOwn(actor)),
  ])
  return { imports: rows.map(view), total, page, pageSize }
}

/** @throws Refusal IMPORT_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const [row] = await db
    .select({ ...listed, rejected, warnings, ...ages, list: { id: leadLists.id, name: leadLists.name } })
    .from(imports)
    .leftJoin(leadLists, and(eq(leadLists.id, imports.id), eq(leadLists.workspaceId, imports.workspaceId)))
    .where(and(inOwn(actor), eq(imports.id, id)))
  if (!row) throw new Refusal('IMPORT_NOT_FOUND')
  return { ...view(row), rejected: row.rejected, warnings: row.warnings, list: row.list }
}

/** Cancels an import. Nothing is saved. */
export async function cancel(db: Db, actor: Actor, id: string) {
  const { rowCount } = await db
    .update(imports)
    .set({ status: 'canceled' })
    .where(and(inOwn(actor), isAlive(id)))
  const importRow = await find(db, actor, id)
  if (rowCount === 0) throw new Refusal('IMPORT_STATE')
  await publishEvents(db, actor.workspaceId, 'import', [id])
  return importRow
}

const ID_TAKEN = 'Another list has the id of this import. Nothing was imported. Import the file again.'

interface RunOptions extends ImportOptions {
  fileName?: string | undefined
  /** The name of a list to create for the leads. It has the import's id. */
  listName?: string | undefined
  /** Called with the import's id before it starts. */
  onBegun?: (id: string) => void
}

/**
 * Imports a file like `importLeads`, recording its progress and result in a row that all members
 * see. @throws Refusal as `importLeads`; IMPORT_STATE if it was canceled or counts as dead
 */
export async function run(
  {
    database: { db, sideDb },
    requestWorker,
  }: { database: Pick<Database, 'db' | 'sideDb'>; requestWorker: Pick<RequestWorker, 'workerId'> },
  actor: Actor,
  source: ImportSource,
  { fileName, listName, onBegun = () => {}, onProgress = () => {}, ...options }: RunOptions = {},
): Promise<ImportResult> {
  const workerId = await requestWorker.workerId()
  const id = await begin(db, actor, { fileName: fileName ?? null, of: source.bytes, workerId })
  onBegun(id)
  const row = watch(sideDb, actor, id)
  try {
    const work = () =>
      importLeads(db, actor, source, {
        ...options,
        onProgress(progress) {
          row.note(progress)
          onProgress(progress)
        },
        // Runs in the transaction that saves the leads.
        onDone: async (tx, result) => {
          if (listName && result.imported + result.updated > 0) {
            const created = await insertRow(tx, actor, { id, name: listName })
            if (created.length === 0) throw new Refusal('IMPORT_STATE', ID_TAKEN)
            await addStagedEntries(tx, actor, id)
          }
          // Last, because it locks the row that the progress is written to every second.
          await complete(tx, id, result)
          await publishEvents(tx, actor.workspaceId, 'import', [id])
        },
        signal: row.signal,
      })
    return await source.inTurn(work, row.signal)
  } catch (error) {
    await fail(db, actor, id, error instanceof Refusal ? error.message : ERROR_TEXT.INTERNAL)
    throw error
  } finally {
    row.leave()
  }
}

async function begin(
  db: Db,
  actor: Actor,
  file: Pick<typeof imports.$inferInsert, 'fileName' | 'of' | 'workerId'>,
): Promise<string> {
  const { workspaceId, userId } = actor
  const row = { workspaceId, userId, ...file }
  const { id } = one(await db.insert(imports).values(row).returning({ id: imports.id }))
  const newest = db
    .select({ id: imports.id })
    .from(imports)
    .where(inOwn(actor))
    .orderBy(desc(imports.createdAt), desc(imports.id))
    .limit(IMPORTS_KEPT)
  await db
    .delete(imports)
    .where(and(inOwn(actor), or(ne(imports.status, 'running'), isSilent), notInArray(imports.id, newest)))
  return id
}

/** Records a failure. If that fails, too, the import soon counts as dead. */
async function fail(db: Db, { workspaceId }: Actor, id: string, message: string): Promise<void> {
  const error = message.replaceAll('\u0000', '')
  try {
    await db.update(imports).set({ status: 'failed', error }).where(isRunning(id))
    await publishEvents(db, workspaceId, 'import', [id])
  } catch {}
}

/** @throws Refusal IMPORT_STATE if the import has been canceled or counts as dead */
async function complete(tx: Db, id: string, result: ImportResult) {
  const { rowCount } = await tx
    .update(imports)
    .set({ ...result, status: 'completed', updatedAt: sql`clock_timestamp()` })
    .where(isAlive(id))
  if (rowCount === 0) throw await stopped(tx, id)
}

/** Finds out why an import must stop. */
async function stopped(db: Db, id: string): Promise<Refusal> {
  const isDead = (await db.$count(imports, isRunning(id))) > 0
  return new Refusal('IMPORT_STATE', isDead ? DIED : 'The import was canceled. Nothing was imported.')
}

/** Interval of progress updates. */
const WATCH_MS = 1_000

/**
 * Writes the import's progress to its row every second. Aborts the import if it was canceled or
 * counts as dead. @param db not the import's transaction, so that others see the progress while it
 * runs
 */
function watch(db: Db, { workspaceId }: Actor, id: string) {
  const stop = new AbortController()
  let latest: ImportProgress | null = null
  let isBusy = false
  const look = async () => {
    if (isBusy) return
    isBusy = true
    try {
      const { rowCount } = await db
        .update(imports)
        .set({ ...latest, updatedAt: sql`clock_timestamp()` })
        .where(isAlive(id))
      if (rowCount === 0) stop.abort(await stopped(db, id))
      await publishEvents(db, workspaceId, 'import', [id])
    } catch {
      // The next write is in a second. If the database is down, the import fails anyway.
    } finally {
      isBusy = false
    }
  }
  const timer = setInterval(() => void look(), WATCH_MS)
  return {
    /** Aborted with the refusal if the import must stop. */
    signal: stop.signal,
    note: (progress: ImportProgress) => {
      latest = progress
    },
    leave: () => clearInterval(timer),
  }
}
