import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { deleteLeads, insertLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { hasBioWord } from '../../../core/tables/leads.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
})

/** Letters with unusual case mappings, marks, non-ASCII digits, and characters that separate words. */
const CHARACTERS = [
  ...'aAkKsSzZiI_09',
  ...'\u0130\u0131\u017f\u212a\u00df\u1e9e\u03c3\u03c2\u03a3\u01c4\u01c5\u01c6\u212b\u00e5\u03f4\u03b8\u0149\u1fb3\u0345',
  ...'\u0301\u00b2\u00bd\u0661\u4e2d\u0e01\u0e31\u{1d400}\u{10400}\u{10428}\u{1f600}',
  ...' -.,@#\'"\\&|!:()\n',
]
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength })
/** A word of a filter: letters, marks, digits and underscores in lower case. */
const word = text(4)
  .map((written) => written.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/u)?.[0])
  .filter((match) => match !== undefined)

/** Matches every word against every bio, both by the stored words and by the pattern alone. */
async function compare(bios: string[], words: string[]) {
  await deleteLeads(app, { workspaceId: person.workspaceId })
  const { workspaceId } = person
  const rows = bios.map((bio, n) => ({ workspaceId, twitterHandle: `bio_${n + 1}`, name: '', bio }))
  if (rows.length > 0) await insertLeads(app, rows)
  const queries = words.map((term, n) => {
    const byPattern = sql`coalesce(leads.bio, '') ~* ${`(?<![[:alnum:]_])${term}(?![[:alnum:]_])`}`
    return sql`select ${n}::int as n, twitter_handle, ${hasBioWord(term)} as stored, ${byPattern} as pattern
      from leads where workspace_id = ${person.workspaceId}`
  })
  const { rows: matches } = await app.db.execute<{ stored: boolean; pattern: boolean }>(
    sql.join(queries, sql` union all `),
  )
  return matches
}

it('finds the same words as a search in the text', async () => {
  let matchCount = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(text(12), { minLength: 20, maxLength: 20 }),
      fc.array(word, { minLength: 10, maxLength: 10 }),
      async (bios, words) => {
        // Half of the bios contain a word, between other characters.
        const filled = bios.map((bio, n) =>
          n % 2 ? bio : `${bio.slice(0, 3)} ${words[n % words.length]}${bio.slice(3, 5)}`,
        )
        for (const { stored, pattern } of await compare(filled, words)) {
          expect(stored).toBe(pattern)
          if (stored) matchCount += 1
        }
      },
    ),
    { numRuns: 40 },
  )
  expect(matchCount).toBeGreaterThan(200)
})

it('finds every letter in either case', async () => {
  const letters = Array.from({ length: 0x1_f000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((letter) => /\p{L}|\p{M}|\p{N}/u.test(letter) && letter.toUpperCase() !== letter.toLowerCase())
  expect(letters.length).toBeGreaterThan(2_500)
  const { rows } = await app.db.execute(sql`
    with cased as (
      select word, bio from unnest(${sql.param(letters.map((letter) => letter.toLowerCase()))}::text[], ${sql.param(letters)}::text[]) given(word, letter),
        unnest(array[letter, upper(letter), lower(letter), upper(word)]) bio
    )
    select word, bio from cased
    where bio ~* ('(?<![[:alnum:]_])' || word || '(?![[:alnum:]_])') and not coalesce(bio_words(bio) @@ bio_query(word), true)`)
  expect(rows).toEqual([])
})

it('stores long words and long bios, and matches them', async () => {
  const long = 'x'.repeat(900)
  const rows = await compare([long, `${long}y`, '\u{10400}'.repeat(900), 'a '.repeat(500)], [long, `${long}y`, 'a'])
  expect(rows.filter(({ stored }) => stored)).toHaveLength(3)
  for (const { stored, pattern } of rows) expect(stored).toBe(pattern)
})
