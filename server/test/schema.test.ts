import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../src/db/migrate.ts'
import { cloneDatabase } from './database.ts'
import { schemaText } from './schema-text.ts'

/** A client of a migrated database, until the test ends. */
async function openClone(): Promise<pg.Client> {
  const database = await cloneDatabase(inject('clusterUrl'))
  const client = new pg.Client(database.url)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  return client
}

// To write the file again, delete it and run this test.
test('docs/schema.sql is the schema that the migrations leave', async () => {
  await expect(await schemaText(await openClone())).toMatchFileSnapshot('../../docs/schema.sql')
})

test('0001_initial.sql leaves the schema of all migrations, but for line breaks in functions', async () => {
  const client = await openClone()
  const old = await schemaText(client)
  await client.query('drop schema public cascade; create schema public')
  await client.query(await readFile(`${MIGRATIONS}/0001_initial.sql`, 'utf8'))
  expect((await schemaText(client)).replace(/\s+/g, '')).toBe(old.replace(/\s+/g, ''))
})
