import { parse } from 'csv-parse/browser/esm/sync'
import { expect, test, vi } from 'vitest'
import {
  CUSTOM_FIELD,
  columnNames,
  columnsProblem,
  guessColumns,
  handlesWarning,
  idsWarning,
  readPreview,
  SKIP,
} from './import-columns'

vi.mock('csv-parse/browser/esm/sync', async (original) => {
  const { parse } = await original<typeof import('csv-parse/browser/esm/sync')>()
  return { parse: vi.fn(parse) }
})

test('reads the header and the first five rows with any delimiter', async () => {
  const lines = Array.from({ length: 50_000 }, (_, n) => `p_${n};"Name; ${n}"`).join('\r\n')
  expect(await readPreview(new Blob([`\ufeffHandle;Name\r\n${lines}`]))).toEqual({
    headers: ['Handle', 'Name'],
    rows: [0, 1, 2, 3, 4].map((n) => [`p_${n}`, `Name; ${n}`]),
  })
  // The rest of the file is not parsed.
  expect(vi.mocked(parse).mock.calls.map(([bytes]) => bytes.length <= 16 * 1024)).toEqual([true])
  // The preview reads more of the file until it has five long rows.
  const long = Array.from({ length: 7 }, (_, n) => `${n},"${'x\n'.repeat(10_000)}"`)
  expect(await readPreview(new Blob([['Handle,Bio', ...long].join('\n')]))).toEqual({
    headers: ['Handle', 'Bio'],
    rows: [0, 1, 2, 3, 4].map((n) => [`${n}`, 'x\n'.repeat(10_000)]),
  })
  // A character cut in half by the preview limit is not an error.
  for (const before of [0, 1, 2])
    expect(await readPreview(new Blob([`h\n${'x'.repeat(before)}${'ü€'.repeat(60_000)}`]))).toMatchObject({
      headers: ['h'],
    })
})

test('reads declared delimiters, stray quotes and short rows like the import, and skips what it rejects', async () => {
  const lines = [
    'sep=;',
    'Handle;Bio',
    'ana;5" "tall"',
    'bob',
    'cem;"closed" not',
    '"never;closed',
    'eve;a;b',
    'fay;"x;y"',
  ]
  expect(await readPreview(new Blob([lines.join('\r\n')]))).toEqual({
    headers: ['Handle', 'Bio'],
    rows: [['ana', '5" "tall"'], ['bob'], ['cem', '"closed" not'], ['fay', 'x;y']],
  })
})

test('tries only the first 100 rows, even if it can read none of them', async () => {
  vi.mocked(parse).mockClear()
  const preview = await readPreview(new Blob([`handle,name\n${'"x,y\n'.repeat(50_000)}`]))
  expect(preview).toEqual({ headers: ['handle', 'name'], rows: [] })
  // Parsing restarts after each unreadable row.
  expect(vi.mocked(parse).mock.calls.length).toBeLessThan(110)
})

test('rejects a file with more columns than an import takes', async () => {
  const header = (columns: number) => Array.from({ length: columns }, (_, n) => `c${n}`).join(',')
  expect(await readPreview(new Blob([`${header(201)}\nana\n`]))).toBe('The file has more than 200 columns.')
  expect(await readPreview(new Blob([`${header(200)}\nana\n`]))).toMatchObject({ rows: [['ana']] })
})

test('says why a file cannot be previewed', async () => {
  const unreadable = "We couldn't read the first rows of this file as CSV."
  for (const text of ['', '\n', '"never closed']) expect(await readPreview(new Blob([text]))).toBe(unreadable)
  expect(await readPreview(new Blob(['handle,company\n']))).toBe('This file has a header but no rows.')
  const utf16 = Buffer.from('\ufeffhandle\nana\n', 'utf16le')
  const ansi = Buffer.from('handle,name\nana,J\u00f6rg\n', 'latin1')
  for (const bytes of [utf16, ansi])
    expect(await readPreview(new Blob([bytes]))).toBe('The file is not UTF-8 text. Save it as CSV UTF-8 and try again.')
})

test('maps known column names once, keeps others as custom fields and skips columns of our export', () => {
  const headers = ['Full Name', 'screen-name', 'Handle', 'Company', 'dm_status', ' ', 'Followers']
  const guess = guessColumns(headers)
  expect(guess).toEqual(['name', 'twitter_handle', CUSTOM_FIELD, CUSTOM_FIELD, SKIP, SKIP, 'follower_count'])
  expect(columnNames(headers, guess)).toEqual(['name', 'twitter_handle', 'Handle', 'Company', '', '', 'follower_count'])
  expect(columnsProblem(headers, guess)).toBeNull()
})

test('recognizes first names, and keeps last names', () => {
  const headers = ['handle', 'First Name', 'Last Name']
  expect(columnNames(headers, guessColumns(headers))).toEqual(['twitter_handle', 'first_name', 'Last Name'])
  expect(guessColumns(['firstName'])).toEqual(['first_name'])
})

test('skips a second column of the same name, which the server refuses', () => {
  const headers = ['handle', 'name', 'Name', 'Job Title', 'job-title', 'twitter_handle']
  const guess = guessColumns(headers)
  expect(guess).toEqual(['twitter_handle', 'name', SKIP, CUSTOM_FIELD, SKIP, SKIP])
  expect(columnsProblem(headers, guess)).toBeNull()
  expect(columnsProblem(headers, guess.with(2, CUSTOM_FIELD))).toBe('Two columns are named “name”. Skip one of them.')
})

test('reports problems of a mapping', () => {
  expect(columnsProblem(['a'], [CUSTOM_FIELD])).toBe('Choose the column with the handles.')
  expect(columnsProblem(['a', 'b'], ['twitter_handle', 'twitter_handle'])).toBe(
    'Two columns map to “Handle”. Skip one of them.',
  )
  expect(columnsProblem(['h', 'A', 'a '], ['twitter_handle', CUSTOM_FIELD, CUSTOM_FIELD])).toBe(
    'Two columns are named “a”. Skip one of them.',
  )
})

test('names the first handle of the preview that X does not allow', () => {
  const warning = (...handles: string[]) =>
    handlesWarning({ headers: ['Name', 'Handle'], rows: handles.map((handle) => ['A', handle]) }, [
      'name',
      'twitter_handle',
    ])
  expect(warning('@ada', ' https://x.com/grace ', '')).toBeNull()
  expect(warning('ada', 'bad handle!', 'worse!')).toBe(
    "“bad handle!” isn't a valid X handle. Rows without a valid handle are skipped.",
  )
  expect(warning('home')).toBe('“home” is a page on X, not a handle. Rows without a valid handle are skipped.')
  expect(handlesWarning({ headers: ['Handle'], rows: [['bad handle!']] }, [CUSTOM_FIELD])).toBeNull()
})

test('warns of X user IDs that were rounded', () => {
  const warning = (id: string) =>
    idsWarning(
      {
        headers: ['Handle', 'ID'],
        rows: [
          ['ann', ''],
          ['bob', id],
        ],
      },
      ['twitter_handle', 'x_user_id'],
    )
  expect(warning('1.58863E+18')).toBe(
    '“1.58863E+18” was rounded by a spreadsheet or another program. Such IDs are left out, and their people are found by handle.',
  )
  expect(warning('1588631281067221234')).toBeNull()
  expect(idsWarning({ headers: ['ID'], rows: [['1.58863E+18']] }, [CUSTOM_FIELD])).toBeNull()
})
