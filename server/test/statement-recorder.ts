import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PgDatabase, PgInsertBuilder, PgUpdateBuilder } from 'drizzle-orm/pg-core'
import { QueryPromise } from 'drizzle-orm/query-promise'
import pg from 'pg'

/** A statement that may write, and the folder that issued it. */
export interface RecordedStatement {
  text: string
  /** `core`, `domains/<area>/<domain>`, or another folder of server/src; `packages` if a package runs it on its own. */
  folder: string
}

type Method = (this: unknown, ...input: unknown[]) => unknown
type Trace = { stack?: string[] }

const root = fileURLToPath(new URL('../../', import.meta.url))
const source = `${root}server/src/`
/** Files that run statements on behalf of their callers, who issued them. */
const RUNS_FOR_OTHERS = /\/(node_modules|server\/src\/db\/(?!liveness)|server\/test\/statement-recorder)/
/** The folder of statements that packages run on their own, from callbacks. */
const PACKAGES = 'packages'
const MAY_WRITE = /\b(insert|update|delete|merge|copy|truncate|create)\b/i
/** Builders are called directly by the code that issues a statement. The driver can be many frames below it. */
const BUILD_FRAMES = 12
const CALL_FRAMES = 50

/** The call stack that built each insert, update or delete of Drizzle. The statement is completed and run later. */
const builtBy = new WeakMap<object, Trace>()
/** Statements of Drizzle. When the driver gets them, the function that built them is no longer on the stack. */
const ofDrizzle = new Set<string>()
const recorded = new Map<string, Set<string>>()

/** Appends each statement that may write to a file, once per folder that issues it. Read by statements.spec.ts. */
export function recordStatements(file: string): void {
  if (builtBy.has(pg.Client)) return
  builtBy.set(pg.Client, {})
  const recordBuilt = (text: string, trace: () => Trace) => {
    if (!MAY_WRITE.test(text)) return
    ofDrizzle.add(text)
    record(file, text, trace())
  }
  wrap(PgDatabase.prototype, 'execute', (build) => {
    const statement = build() as { getQuery(): { sql: string } }
    recordBuilt(statement.getQuery().sql, () => currentTrace(BUILD_FRAMES))
    return statement
  })
  for (const [type, ...methods] of [
    [PgDatabase, 'delete'],
    [PgInsertBuilder, 'values', 'select'],
    [PgUpdateBuilder, 'set'],
  ] as const)
    for (const name of methods)
      wrap(type.prototype, name, (build) => {
        const statement = build() as object
        builtBy.set(statement, currentTrace(BUILD_FRAMES))
        return statement
      })
  wrap(QueryPromise.prototype, 'then', (run, _input, statement) => {
    const trace = builtBy.get(statement as object)
    if (trace) recordBuilt((statement as { toSQL(): { sql: string } }).toSQL().sql, () => trace)
    return run()
  })
  for (const type of [pg.Pool, pg.Client])
    wrap(type.prototype, 'query', (send, [statement]) => {
      const text = typeof statement === 'string' ? statement : ((statement as { text?: string })?.text ?? '')
      if (!ofDrizzle.has(text) && MAY_WRITE.test(text)) record(file, text, currentTrace(CALL_FRAMES))
      return send()
    })
}

function wrap(type: object, name: string, work: (call: () => unknown, input: unknown[], self: unknown) => unknown) {
  const methods = type as Record<string, Method>
  const original = methods[name] as Method
  methods[name] = function (...input) {
    return work(() => original.apply(this, input), input, this)
  }
}

function record(file: string, text: string, trace: Trace): void {
  const folders = recorded.get(text) ?? new Set()
  recorded.set(text, folders)
  const folder = folderOf(trace)
  if (folder === null || folders.has(folder) || (folder === PACKAGES && folders.size > 0)) return
  folders.add(folder)
  appendFileSync(file, `${JSON.stringify({ text, folder } satisfies RecordedStatement)}\n`)
}

/** Captures the call stack. Its paths are read only if the statement may write. */
function currentTrace(frames: number): Trace {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = frames
  const trace: Trace = {}
  Error.captureStackTrace(trace)
  Error.stackTraceLimit = stackTraceLimit
  return trace
}

/** Returns the folder of the innermost caller; null for a test. */
function folderOf(trace: Trace): string | null {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '')
  const paths = (trace.stack ?? []).map((path) => path.replace('file://', ''))
  Error.prepareStackTrace = prepareStackTrace
  const path = paths.find((path) => path.startsWith(root) && !RUNS_FOR_OTHERS.test(path))
  if (!path) return PACKAGES
  if (!path.startsWith(source) || path.endsWith('.test.ts')) return null
  const folders = path.slice(source.length).split('/')
  return folders.slice(0, folders[0] === 'domains' ? 3 : 1).join('/')
}
