import { describe, expect, it } from 'vitest'
import { readHeader, readLine } from './suppression-lines.ts'

describe('readHeader', () => {
  it.each([
    [['Twitter Handle', 'Reason', 'Colour'], { columns: ['twitter_handle', 'reason', null], isData: false }],
    [['note', 'username'], { columns: ['note', 'twitter_handle'], isData: false }],
    [['@ana'], { columns: ['person'], isData: true }],
    [['https://x.com/ana?s=20'], { columns: ['person'], isData: true }],
    [['name'], { columns: ['person'], isData: false }],
    [['handle', '2026'], { columns: ['twitter_handle', null], isData: false }],
    [['name', 'bio'], { problem: 'The first line must name a column twitter_handle or x_user_id.' }],
    [['Home'], { columns: ['person'], isData: false }],
    [['Do not contact'], { columns: ['person'], isData: false }],
    [['4242'], { columns: ['person'], isData: true }],
    [['constructor'], { columns: ['person'], isData: true }],
    [['screenName', 'profileUrl'], { columns: ['twitter_handle', 'twitter_handle'], isData: false }],
    [['Email', 'Twitter Username', 'Status'], { columns: [null, 'twitter_handle', null], isData: false }],
  ])('reads %j', (fields, read) => {
    expect(readHeader(fields)).toEqual(read)
  })
})

it.each(['author_id', 'rest_id', 'twitterUserId', 'account_id', 'Reason'])(
  'suppresses nobody for the header %s of a single column',
  (header) => {
    expect(readHeader([header])).toEqual({ columns: ['person'], isData: false })
  },
)

describe('readLine', () => {
  const columns = ['twitter_handle', 'x_user_id', 'reason', 'note'] as const
  const read = (...fields: string[]) => readLine([...columns], fields)

  it.each(['Ana_1', '@Ana_1', "'@Ana_1", ' x.com/Ana_1 ', 'https://twitter.com/Ana_1/status/5'])(
    'accepts the handle %j',
    (handle) => {
      const named = { twitterHandle: 'ana_1', xUserId: null, reason: 'import', note: null }
      expect(read(handle, '', '', '')).toEqual({ people: [named], warning: null })
    },
  )

  it('reads the other columns', () => {
    const named = { twitterHandle: 'ana', xUserId: '12', reason: 'opted_out', note: 'by phone' }
    expect(read('ana', '12', 'Opted_Out', ' by phone ')).toEqual({ people: [named], warning: null })
  })

  it.each([
    ['1588631281067220000', 'was rounded by a spreadsheet or another program'],
    ['x', 'is not an X user ID'],
  ])('suppresses the handle without the X id %j, with a warning', (xUserId, problem) => {
    expect(read('ana', xUserId, '', '')).toMatchObject({
      people: [{ twitterHandle: 'ana', xUserId: null }],
      warning: `x_user_id ${problem}, so it was left out`,
    })
  })

  it('treats missing cells as empty', () => {
    expect(read('ana')).toEqual(read('ana', '', '', ''))
  })

  it.each([
    [['', '', '', ''], 'is empty'],
    [['a-na', '', '', ''], 'twitter_handle must be 1 to 15 letters, digits or underscores'],
    [
      ['', '1.58863E+18', '', ''],
      'twitter_handle is missing, and x_user_id was rounded by a spreadsheet or another program',
    ],
    [['', '', 'opted_out', 'by phone'], 'twitter_handle is missing'],
  ])('rejects %j', (fields, problem) => {
    expect(read(...fields)).toEqual({ problem })
  })
})
