import { LeadSort } from '@x-automated/contract/leads/leads'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Columns, readHeader, readLine } from './columns.ts'
import { anywhere, readCursor, writeCursor } from './filter.ts'

describe('writeCursor, readCursor', () => {
  const position = fc.oneof(
    fc.tuple(fc.constantFrom('name', '-name'), fc.string({ unit: 'grapheme' })),
    fc.tuple(fc.constantFrom('followerCount', '-followerCount'), fc.integer({ min: -1, max: 2_147_483_647 })),
    fc.tuple(fc.constantFrom('bio', '-twitterHandle'), fc.string({ unit: 'grapheme' })),
    fc.tuple(
      fc.constantFrom('dmStatus', '-dmStatus'),
      fc.constantFrom('sent 2026-01-31T10:00:00.123Z', 'not_sent 2026-01-31T10:00:00Z'),
    ),
    fc.tuple(
      fc.constantFrom('createdAt', '-createdAt'),
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59Z') })
        .map((date) => date.toISOString()),
    ),
  )
  it('survive a round trip in the same order only', () => {
    fc.assert(
      fc.property(position, fc.uuid(), fc.constantFrom(...LeadSort.options), ([sort, value], id, other) => {
        fc.pre(!String(value).includes('\u0000') && String(value).isWellFormed())
        const cursor = writeCursor(sort as LeadSort, { value, id })
        expect(readCursor(sort as LeadSort, cursor)).toEqual({ value, id })
        if (other !== sort) expect(readCursor(other, cursor)).toBeNull()
      }),
    )
  })
  it('reject malformed cursors', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((text) => Buffer.from(text).toString('base64url')),
        ),
        (text) => {
          expect(readCursor('name', text)).toBeNull()
        },
      ),
    )
    for (const bad of [
      ['-createdAt', 'today', UUID],
      ['-createdAt', '1', UUID],
      ['-createdAt', '2026-02-30T00:00:00Z', UUID],
      ['-createdAt', '+275760-01-01T00:00:00Z', UUID],
      ['followerCount', 9e15, UUID],
      ['-createdAt', 1, UUID],
      ['-createdAt', '2026-01-01', 'id'],
    ])
      expect(readCursor('-createdAt', Buffer.from(JSON.stringify(bad)).toString('base64url'))).toBeNull()
  })
})
it('readCursor rejects unknown statuses and missing dates', () => {
  for (const value of ['sent', 'gone 2026-01-31T10:00:00Z', 'sent yesterday', ''])
    expect(
      readCursor('dmStatus', Buffer.from(JSON.stringify(['dmStatus', value, UUID])).toString('base64url')),
    ).toBeNull()
})
const UUID = '00000000-0000-0000-0000-000000000000'

it('anywhere escapes the wildcards of LIKE', () => {
  expect(anywhere('50%_\\')).toBe('%50\\%\\_\\\\%')
})

function columnsOf(...names: string[]): Columns {
  const columns = readHeader(names)
  if ('problem' in columns) throw new Error(columns.problem)
  return columns
}

describe('readHeader', () => {
  it.each([
    [['name', 'handle'], 'The first line must name a column twitter_handle.'],
    [['twitter_handle', 'Name', 'name'], 'The file has two columns named name.'],
    [['twitter_handle', 'x'.repeat(101)], "A column's name is longer than 100 characters."],
    [['twitter_handle', 'Com\ud800pany'], "A column's name contains characters that cannot be stored."],
    [['twitter_handle', ...Array(200).fill('')], 'The file has more than 200 columns.'],
  ])('rejects %j', (names, problem) => {
    expect(readHeader(names)).toEqual({ problem })
  })

  it('renames a column ai_opener, whose name messages reserve', () => {
    expect(columnsOf('twitter_handle', 'AI_Opener')[1]).toEqual({ metadataKey: 'ai_opener_1' })
    expect(columnsOf('twitter_handle', 'ai_opener', 'ai_opener_1')[1]).toEqual({ metadataKey: 'ai_opener_2' })
  })
})

describe('readLine', () => {
  const columns = columnsOf(' Twitter Handle ', 'NAME', 'follower_count', 'metadata', 'Company', '', 'dm_status')
  const readLead = (...of: Parameters<typeof readLine>) => {
    const read = readLine(...of)
    return 'lead' in read ? read.lead : read
  }
  const line = (...fields: string[]) => readLead(columns, fields)

  it('reads columns by name, others as metadata, and ignores internal ones', () => {
    expect(line('@Ana_1', ' Ana ', '12.0', '{"tags":["a"]}', 'Acme', 'x', 'sent')).toEqual({
      xUserId: null,
      twitterHandle: 'Ana_1',
      name: 'Ana',
      bio: null,
      followerCount: 12,
      followingCount: null,
      sourceProfile: null,
      url: null,
      profileImageUrl: null,
      location: null,
      website: null,
      metadata: { tags: ['a'], Company: 'Acme' },
      basis: null,
      basisAt: null,
      basisSource: null,
      tags: null,
    })
  })
  it('keeps a custom column that is called __proto__', () => {
    const read = readLead(columnsOf('twitter_handle', '__proto__'), ['ana', 'Acme'])
    expect(JSON.stringify('metadata' in read && read.metadata)).toBe('{"__proto__":"Acme"}')
  })
  it('removes the formula escape of an export', () => {
    expect(line('ana', "'=1+1", '', '', "'plain", '', '')).toMatchObject({
      name: '=1+1',
      metadata: { Company: "'plain" },
    })
    // Some spreadsheets run full-width formulas too.
    expect(line('ana', "'\uFF1D1", '', '', '', '', '')).toMatchObject({ name: '\uFF1D1' })
  })
  it.each([
    ['https://x.com/ana_1', 'ana_1'],
    ['twitter.com/ana_1?lang=en', 'ana_1'],
    ['@ana_1', 'ana_1'],
    ["'@ana_1", 'ana_1'],
    ['https://www.twitter.com/@ana_1/followers', 'ana_1'],
  ])('reads the handle out of %s', (written, twitterHandle) => {
    expect(line(written, '', '', '', '', '', '')).toMatchObject({ twitterHandle })
  })
  it.each(['1,234', '1234.0', '1 234', "1'234", '1\u202f234.00'])('reads %s as a count', (written) => {
    expect(line('ana', '', written, '', '', '', '')).toMatchObject({ followerCount: 1_234 })
  })
  it.each([
    ['1.234', ';', 1_234],
    ['1.000', ';', 1_000],
    ['1.234.567', ',', 1_234_567],
    ['1.234,00', ',', 1_234],
    ['0.000', ',', 0],
    ['1234.000', ',', 1_234],
  ])('reads %s in a file separated by %s as %i', (written, delimiter, followerCount) => {
    const cells = ['ana', '', written, '', '', '', '']
    expect(readLead(columns, cells, delimiter)).toMatchObject({ followerCount })
  })
  it.each(['1.000', '12.345'])('rejects the ambiguous number %s', (written) => {
    for (const delimiter of [',', '\t', null])
      expect(readLead(columns, ['ana', '', written, '', '', '', ''], delimiter)).toEqual({
        problem: 'follower_count is ambiguous with a dot. Write 1200 instead of 1.200.',
      })
  })
  it('reads a basis with its date and source, and unique tags', () => {
    const columns = columnsOf('twitter_handle', 'Basis', 'basis at', 'basis_source', 'Tags')
    expect(
      readLead(columns, ['ana', 'Wrote first', '2026-01-31', 'At the fair', 'VIP; fair, vip | Köln']),
    ).toMatchObject({
      basis: 'wrote_first',
      basisAt: '2026-01-31T00:00:00Z',
      basisSource: 'At the fair',
      tags: ['VIP', 'fair', 'Köln'],
    })
    for (const [fields, problem] of [
      [['ana', 'maybe', '', '', ''], 'basis must be asked, wrote_first, customer or none'],
      [['ana', 'asked', '31.1.2026', '', ''], 'basis_at is not a day such as 2026-01-31'],
      [['ana', '', '', 'At the fair', ''], 'has details of a contact basis but no basis'],
      [['ana', '', '', '', 'x'.repeat(51)], 'tags has a tag that is longer than 50 characters'],
      [['ana', '', '', '', Array.from({ length: 21 }, (_, n) => n).join()], 'tags names more than 20 tags'],
    ] as const)
      expect(readLead(columns, fields)).toEqual({ problem })
  })
  it('leaves out an X id that is not believed, with a warning', () => {
    const columns = columnsOf('twitter_handle', 'x_user_id')
    const lead = { twitterHandle: 'ana', xUserId: null }
    expect(readLine(columns, ['ana', '1.58863E+18'])).toMatchObject({
      lead,
      warning: 'x_user_id was rounded by a spreadsheet or another program, so it was left out',
    })
    expect(readLine(columns, ['ana', 'n/a'])).toMatchObject({
      lead,
      warning: 'x_user_id is not an X user ID, so it was left out',
    })
    expect(readLine(columns, ['', '1588631281067220000'])).toEqual({
      problem: 'twitter_handle is missing, and x_user_id was rounded by a spreadsheet or another program',
    })
    expect(readLine(columns, ['ana', '5'])).toMatchObject({ lead: { xUserId: '5' }, warning: null })
  })
  it('reports blank rows as empty', () => {
    expect(line('')).toEqual({ problem: 'is empty' })
    expect(line(' ')).toEqual({ problem: 'is empty' })
    expect(line('', ' ', '')).toEqual({ problem: 'is empty' })
  })
  it('treats missing cells as empty', () => {
    expect(line('ana', 'Ana')).toEqual(line('ana', 'Ana', '', '', '', '', ''))
  })
  it.each([
    [['', 'Ana', '', '', '', '', ''], 'twitter_handle is missing'],
    [['@', 'Ana', '', '', '', '', ''], 'twitter_handle must be 1 to 15 letters, digits or underscores'],
    ...['home', '@Explore', 'i', 'Hashtag', 'TOS'].map((page): [string[], string] => [
      [page],
      'twitter_handle is a page on X, not a handle',
    ]),
    [['a-b', '', '', '', '', '', ''], 'twitter_handle must be 1 to 15 letters, digits or underscores'],
    ...[
      'https://x.com/i/lists/1',
      'x.com/home',
      'https://twitter.com/explore/tabs/for_you',
      'x.com/search?q=ana',
      'https://x.com/Settings/account',
      'x.com/messages',
      'x.com/notifications',
      'https://x.com/compose/post',
    ].map((link): [string[], string] => [[link], 'twitter_handle must be 1 to 15 letters, digits or underscores']),
    [['ana', '', '1,5', '', '', '', ''], 'follower_count is not a whole number'],
    [['ana', '', '12,34,567', '', '', '', ''], 'follower_count is not a whole number'],
    [['ana', '', '2,147,483,648', '', '', '', ''], 'follower_count is not a whole number'],
    [['ana', '', '-1', '', '', '', ''], 'follower_count is not a whole number'],
    [['ana', '', '2147483648', '', '', '', ''], 'follower_count is not a whole number'],
    [['ana', 'x'.repeat(201), '', '', '', '', ''], 'name is longer than 200 characters'],
    [['ana', '', '', '[1]', '', '', ''], 'metadata is not a JSON object of at most 8000 characters'],
    [['ana', '', '', '', 'x'.repeat(5_001), '', ''], 'Company is longer than 5000 characters'],
    [
      ['ana', '', '', JSON.stringify({ a: 'x'.repeat(3_001) }), 'x'.repeat(5_000), '', ''],
      'has more than 8,000 bytes besides the bio',
    ],
    [['ana', 'a\u0000b', '', '', '', '', ''], 'contains a NUL character'],
  ])('reports the problem of %j', (fields, problem) => {
    expect(line(...fields)).toEqual({ problem })
  })
  it('never throws, and accepts only valid X handles', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 7, maxLength: 7 }), (fields) => {
        const lead = line(...fields)
        if (lead && !('problem' in lead)) expect(lead.twitterHandle).toMatch(/^\w{1,15}$/)
      }),
    )
  })
})
