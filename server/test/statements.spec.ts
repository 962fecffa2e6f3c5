import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tablesOf } from './sql-tables.ts'
import type { RecordedStatement } from './statement-recorder.ts'
import owners from './table-owners.json' with { type: 'json' }

// Runs last: checks that only one folder writes each table. table-owners.json names the folders, and the
// exceptions with their reasons.

const owned = Object.entries(owners.tables).flatMap(([folder, tables]) => tables.map((table) => `${table}: ${folder}`))
const exceptions = owners.exceptions.map(({ table, folder }) => `${table}: ${folder}`)

describe.skipIf(!process.env.FULL_RUN)('the tables that a full run writes', () => {
  const writes = recordedWrites()

  it('have one writing folder each', () => {
    const named = new Set([...owned, ...exceptions])
    expect([...writes].filter((write) => !named.has(write)).sort()).toEqual([])
  })

  it('have no exception that is not needed any more', () => {
    expect(exceptions.filter((write) => !writes.has(write))).toEqual([])
  })

  it('are named once', () => {
    const tables = Object.values(owners.tables).flat()
    expect(tables.filter((table, index) => tables.indexOf(table) < index)).toEqual([])
  })
})

describe('the tables of a statement', () => {
  it('are those that it writes, also in its parts', () => {
    const { written } = tablesOf(`
      with moved as (delete from leads where id in (select id from tags) returning id),
        renamed as (update lists l set name = '' from moved where l.id = moved.id)
      insert into removals select id from moved on conflict do nothing`)
    expect([...written].sort()).toEqual(['leads', 'lists', 'removals'])
  })

  it('can be temporary', () => {
    expect([...tablesOf('create temp table chosen (id bigint)').temporary]).toEqual(['chosen'])
    expect([...tablesOf('create temp table chosen on commit drop as select 1').temporary]).toEqual(['chosen'])
  })
})

const MIGRATIONS = new URL('../src/db/migrations/', import.meta.url)

/** Returns every recorded write to a permanent table, as `table: folder`. Migrations may write all tables. */
function recordedWrites(): Set<string> {
  const file = process.env.STATEMENTS_FILE
  const lines = file && existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const migrations = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    .join('\n')
  const statements = lines
    .map((line) => JSON.parse(line) as RecordedStatement)
    .filter(({ text }) => !migrations.includes(text.trim()))
  const parsed = statements.map(({ text, folder }) => ({ ...tablesOf(text), folder }))
  const temporary = new Set(parsed.flatMap((statement) => [...statement.temporary]))
  const writes = parsed.flatMap(({ written, folder }) =>
    [...written].filter((table) => !temporary.has(table)).map((table) => `${table}: ${folder}`),
  )
  return new Set(writes)
}
