import { fillSegment, parseTemplate } from '@x-automated/contract/outreach/template'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { insertLeads } from '../../../test/leads.ts'
import { makePerson } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { compileTemplate } from './render.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const LEAD = {
  name: sql`l.name`,
  firstName: sql`l.first_name`,
  twitterHandle: sql`l.twitter_handle`,
  metadata: sql`l.metadata`,
  opener: sql`'Saw your talk.'::text`,
}

// PostgreSQL cannot store NUL or unpaired surrogates.
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(
      '',
      ' ',
      '\u00a0',
      "O'Brien",
      '"',
      '\\',
      '\\\\n',
      '$1',
      '$$',
      '%s',
      '{lead_name}',
      '👩‍👩‍👧',
      'مرحبا',
      'שלום',
      '\u200f',
      ';--',
      'İıſK',
    ),
  )
  .map((value) => value.replaceAll('\u0000', ''))
const fallback = text.map((value) => value.replace(/[{}|]/g, ''))
const key = fc.constantFrom('company', 'Company', 'COMPANY', 'job title', 'x_1', 'rôle', 'Rôle', '役割')
const placeholder = fc.oneof(
  fc.constantFrom('{lead_name}', '{Lead_NAME}', '{first_name}', '{First Name}', '{twitter_handle}', '{TWITTER_HANDLE}'),
  fallback.map((value) => `{lead_name|${value}}`),
  fallback.map((value) => `{first_name|${value}}`),
  fallback.map((value) => `{AI_Opener|${value}}`),
  fc.tuple(key, fallback).map(([name, value]) => `{${name}|${value}}`),
)
const source = fc
  .array(
    fc.oneof(
      placeholder,
      text.map((value) => value.replace(/[{}$#%&@\uff20]/g, '')),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant({ a: 1 }),
  fc.constant(['a']),
)
const lead = fc.record({
  name: text,
  firstName: fc.option(text),
  twitterHandle: fc.stringMatching(/^[A-Za-z0-9_]{1,15}$/),
  metadata: fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }),
})

it('renders every template in the database as a browser previews it', async () => {
  const person = await makePerson(app)
  const samples = fc.sample(fc.tuple(source, lead), { numRuns: 300, seed: 7 })
  const ids = await insertLeads(
    app,
    samples.map(([, lead], i) => ({ ...lead, workspaceId: person.workspaceId, xUserId: String(i) })),
  )
  for (const [i, [written, sample]] of samples.entries()) {
    const parsed = parseTemplate(written)
    if ('unknown' in parsed) throw new Error(`unknown place ${parsed.unknown.written} in ${JSON.stringify(written)}`)
    const { rows: rendered } = await app.db.execute<{ message: string }>(
      sql`select ${compileTemplate(parsed.template, LEAD)} as message from leads l where id = ${ids[i]}`,
    )
    expect(rendered[0]?.message, JSON.stringify([written, sample])).toBe(
      parsed.template.map((segment) => fillSegment(segment, { ...sample, opener: 'Saw your talk.' })).join(''),
    )
  }
})

it('accepts metadata that is not an object', async () => {
  const person = await makePerson(app)
  const { workspaceId } = person
  const [id] = await insertLeads(app, [{ workspaceId, name: 'A', twitterHandle: 'a', metadata: ['x'] as never }])
  const parsed = parseTemplate('{company|us}')
  if ('unknown' in parsed) throw new Error('unknown')
  const { rows } = await app.db.execute<{ message: string }>(
    sql`select ${compileTemplate(parsed.template, LEAD)} as message from leads l where id = ${id}`,
  )
  expect(rows[0]?.message).toBe('us')
})
