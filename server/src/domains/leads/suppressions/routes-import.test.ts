import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const CSV = { 'content-type': 'text/csv' }
const importFile = async (text: string, query: Record<string, string> = {}) =>
  (await person.call('POST', `/suppressions/import?${new URLSearchParams(query)}`, text, CSV)).body
/** The list in the order of its entries' handles and ids. */
const listed = async () => {
  const { body } = await person.call('GET', '/suppressions')
  return (body.suppressions as { twitterHandle: string; xUserId: string | null; reason: string; note: string | null }[])
    .map(({ twitterHandle, xUserId, reason, note }) => ({ twitterHandle, xUserId, reason, note }))
    .sort((a, b) => `${a.twitterHandle} ${a.xUserId}`.localeCompare(`${b.twitterHandle} ${b.xUserId}`))
}
const importLeads = async (file: string) => (await person.call('POST', '/leads/import', file, CSV)).body

describe('a row whose other columns cannot be read', () => {
  it.each([
    ['handle,reason', 'open_w,Unsubscribed', { reason: 'import', note: 'Unsubscribed' }],
    ['handle,reason', 'open_w,Opted-Out', { reason: 'opted_out', note: null }],
    ['handle,reason', 'open_w,bounced', { reason: 'import', note: 'bounced' }],
    ['handle,reason,note', 'open_w,bounced,by phone', { reason: 'import', note: 'bounced: by phone' }],
    ['handle,note', `open_w,${'n'.repeat(501)}`, { reason: 'import', note: 'n'.repeat(500) }],
    ['handle,note', `open_w,${'n'.repeat(499)}👋`, { reason: 'import', note: 'n'.repeat(499) }],
    ['handle,note', 'open_w,a\u0000b', { reason: 'import', note: 'ab' }],
    ['handle,reason', 'open_w,constructor', { reason: 'import', note: 'constructor' }],
  ])('is suppressed: %j, %j', async (header, row, entry) => {
    expect(await importFile(`${header}\n${row}\n`)).toMatchObject({ imported: 1, rejected: [] })
    expect(await listed()).toEqual([{ twitterHandle: 'open_w', xUserId: null, ...entry }])
  })

  it('is suppressed if it has more cells than the header, wherever the additional comma is', async () => {
    const file = 'note,handle\nAsked, twice,ana\nfine,bob,\n'
    expect(await importFile(file)).toMatchObject({ imported: 3, rejected: [], warningCount: 2 })
    expect((await listed()).map((entry) => entry.twitterHandle)).toEqual(['ana', 'bob', 'twice'])
  })

  it.each(['ana,"never closed\nbob,x\n', '"ana","says "no" to us\nbob,x\n'])(
    'is suppressed if a quote in it is wrong: %j',
    async (rows) => {
      expect(await importFile(`handle,note\n${rows}`)).toMatchObject({ imported: 2, rejected: [] })
      expect((await listed()).map((entry) => entry.twitterHandle)).toEqual(['ana', 'bob'])
    },
  )

  it.each([
    ['ana"\nbob\n', { handles: ['ana', 'bob'], rejectedLines: [] }],
    ['@ana"\nbob\n', { handles: ['ana', 'bob'], rejectedLines: [] }],
    ['"ana"x\nbob\n', { handles: ['bob'], rejectedLines: [1] }],
  ])('is suppressed or reported if it is the first one, without a header: %j', async (file, expected) => {
    const { rejected } = await importFile(file)
    expect(rejected.map(({ line }: { line: number }) => line)).toEqual(expected.rejectedLines)
    expect((await listed()).map((entry) => entry.twitterHandle)).toEqual(expected.handles)
  })

  const FILLER = Array.from({ length: 15_000 }, (_, at) => `p${at},asked\n`).join('')
  const LONG = 'n'.repeat(300_000)
  it.each([
    ['a quote is never closed', `ana,"asked\n${FILLER}bob,asked\n`],
    ['the quote before a handle is never closed', `"ana,asked\n${FILLER}bob,asked\n`],
    ['a quoted note of many lines is too long', `ana,"asked\n${'again\n'.repeat(50_000)}"\nbob,asked\n`],
    ['the note is too long', `ana,${LONG}\nbob,asked\n`],
    ['the last note is too long', `bob,asked\nana,${LONG}`],
  ])('is suppressed in a file larger than 128 KiB, too: %s', async (_name, rows) => {
    await importFile(`handle,note\n${rows}`)
    for (const handle of ['ana', 'bob'])
      expect((await person.call('GET', `/suppressions?q=${handle}`)).body.suppressions).toMatchObject([
        { twitterHandle: handle },
      ])
  })

  it('is suppressed if its handle follows a note that is too long', async () => {
    expect(await importFile(`note,handle\n${LONG},ana\n"${LONG}","bob"\n`)).toMatchObject({ imported: 2, rejected: [] })
    expect((await listed()).map((entry) => entry.twitterHandle)).toEqual(['ana', 'bob'])
  })
})

it.each(['\u200bana', '\u202a@ana\u202c', '@\u2066ana\u2069', 'https://x.com/ana\u200e', '\ufeff@ana'])(
  'ignores invisible characters around the handle %j',
  async (handle) => {
    expect(await importFile(`handle\n"${handle}"\n`)).toMatchObject({ imported: 1, rejected: [] })
    expect(await listed()).toMatchObject([{ twitterHandle: 'ana' }])
  },
)

const SPELLINGS = [
  ...['＠ana', '"Ann (@ana)"', '@@ana', '<https://x.com/ana>', 'x.com//ana', 'Ann <https://twitter.com/@ana?s=20>'],
  ...['https://x.com/intent/user?screen_name=ana', 'twitter.com/intent/follow?ref=1&screen_name=%40ana', "'@ana"],
]

it('reads handles however people write them, in files and by hand', async () => {
  for (const spelling of SPELLINGS.slice(0, -1)) {
    const { body } = await person.call('POST', '/suppressions', { handles: [spelling] })
    expect(body, spelling).toMatchObject({ success: true })
  }
  expect(await listed()).toMatchObject([{ twitterHandle: 'ana' }])
  const file = ['handle', ...SPELLINGS.map((spelling) => `"${spelling.replaceAll('"', '""')}"`)].join('\n')
  expect(await importFile(file)).toMatchObject({ imported: 0, rejected: [] })
  expect(await listed()).toMatchObject([{ twitterHandle: 'ana' }])
})

it.each(['x.com/i/user/777', 'https://twitter.com/intent/user?user_id=777'])(
  'reads the user ID in X’s address %j, in files and by hand',
  async (address) => {
    const { body } = await person.call('POST', '/suppressions', { handles: [address, 'ana'] })
    expect(body).toMatchObject({ success: true, suppressed: 2 })
    expect(await importFile(`${address}\n`)).toMatchObject({ imported: 0, known: 1, rejected: [] })
    expect(await listed()).toMatchObject([{ twitterHandle: '', xUserId: '777' }, { twitterHandle: 'ana' }])
  },
)

it('ignores invisible characters around handles that are added by hand', async () => {
  await importFile('handle\nana\n')
  const { body } = await person.call('POST', '/suppressions', { handles: ['@\u2066ana\u2069', '\u200bAna'] })
  expect(body).toMatchObject({ success: true, suppressed: 0 })
})

describe('X user IDs', () => {
  it.each(['x_user_id', 'X User ID', 'user_id', 'twitter_id'])('suppress alone, in a column %j', async (header) => {
    expect(await importFile(`${header}\n4242\n`)).toMatchObject({ imported: 1, known: 0, rejected: [] })
    expect(await listed()).toEqual([{ twitterHandle: '', xUserId: '4242', reason: 'import', note: null }])
    expect(await importFile(`${header}\n4242\n4242\n`)).toMatchObject({ imported: 0, known: 2, warnings: [] })
    const leads = await importLeads('twitter_handle,x_user_id\nana,4242\nbob,4243\n')
    expect(leads).toMatchObject({ imported: 1, rejected: [{ line: 2, problem: 'is on your suppression list' }] })
  })

  it('suppress a lead that has the id, and show its handle if X has confirmed the pair', async () => {
    await makeLeads(app, person, [{ twitterHandle: 'Ana', xUserId: '41' }])
    await importLeads('twitter_handle,x_user_id\nbob,42\n')
    expect(await importFile('x_user_id\n41\n42\n')).toMatchObject({ imported: 2 })
    expect(await listed()).toMatchObject([
      { twitterHandle: '', xUserId: '42' },
      { twitterHandle: 'ana', xUserId: '41' },
    ])
    expect((await person.call('GET', '/leads?suppressed=true')).body.total).toBe(2)
  })

  it.each([
    ['not a handle', 'must be 1 to 15 letters, digits or underscores'],
    ['home', 'is a page on X, not a handle'],
  ])('suppress with a warning if the handle is %j', async (handle, problem) => {
    const warning = `twitter_handle ${problem}, so only the X user ID is suppressed`
    expect(await importFile(`handle,x_user_id\n${handle},4242\n,4243\n`)).toMatchObject({
      imported: 2,
      rejected: [],
      warnings: [{ line: 2, problem: warning }],
    })
    expect((await listed()).map((entry) => entry.xUserId)).toEqual(['4242', '4243'])
  })

  it('suppress from a column of handles, and both ways without a header', async () => {
    expect(await importFile('handle\n1588631281067221234\n')).toMatchObject({ imported: 1, rejected: [] })
    expect(await importFile('1588631281067221235\n4242\n@77\n')).toMatchObject({ imported: 3, rejected: [] })
    expect(await listed()).toMatchObject([
      { twitterHandle: '', xUserId: '1588631281067221234' },
      { twitterHandle: '', xUserId: '1588631281067221235' },
      { twitterHandle: '4242', xUserId: '4242' },
      { twitterHandle: '77', xUserId: null },
    ])
  })

  it('of a handle suppress all, also if another row has the handle alone', async () => {
    expect(await importFile('handle,x_user_id\nana,\nana,4242\nANA,4243\n')).toMatchObject({
      rejected: [],
      warnings: [],
    })
    const leads = await importLeads('twitter_handle,x_user_id\nana,\nbob,4242\neve,4243\n')
    expect(leads).toMatchObject({ imported: 0, rejectedCount: 3 })
  })

  it('are given to POST /suppressions without a handle, as an undone removal does', async () => {
    const create = async (body: object) => (await person.call('POST', '/suppressions', body)).body
    expect(await create({ xUserId: '4242' })).toMatchObject({ suppressed: 1 })
    expect(await listed()).toMatchObject([{ twitterHandle: '', xUserId: '4242' }])
    expect((await person.call('GET', '/suppressions?q=4242')).body).toMatchObject({ total: 1 })
    expect(await create({ xUserId: '1588631281067220000' })).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await create({ xUserId: '4242', leadIds: [] })).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('the first row', () => {
  it.each(['handle', 'Username', 'screen_name', 'twitter', 'name', 'Email', 'Handles', 'Opted out'])(
    'is a header and not a person: %j',
    async (header) => {
      expect(await importFile(`${header}\nana\n`)).toMatchObject({ imported: 1, rejected: [] })
      expect(await listed()).toMatchObject([{ twitterHandle: 'ana' }])
    },
  )

  it.each([
    'screenName\nana\n',
    'profileUrl\nhttps://x.com/ana\n',
    'screenName,profileUrl\n,https://x.com/ana\n',
    'Full Name,profileUrl\nAnn Lee,https://x.com/ana\n',
    'Email,Twitter Username,Status\nann@example.com,ana,opted out\n',
    'author/userName,reason\nana,stop\n',
    'Exported from Acme\nhandle,reason\nana,stop\n',
    'Do not contact,,\n,,\nname,handle,reason\nAnn,ana,stop\n',
    'Exported from Acme\nhandle\nana\n',
  ])('is no person in the file %j', async (file) => {
    expect(await importFile(file)).toMatchObject({ imported: 1, rejected: [] })
    expect(await listed()).toMatchObject([{ twitterHandle: 'ana' }])
  })

  it('below a title keeps its columns', async () => {
    await importFile('Exported from Acme\nhandle,reason,note\nana,opted out,by phone\nbob,stop\n')
    expect(await listed()).toMatchObject([
      { twitterHandle: 'ana', reason: 'opted_out', note: 'by phone' },
      { twitterHandle: 'bob', reason: 'import', note: 'stop' },
    ])
  })

  it('may be a title of one word, unless every row has one cell', async () => {
    await importFile('Suppressions\nhandle,reason\nana,stop\n')
    expect((await listed()).map((entry) => entry.twitterHandle)).toEqual(['ana', 'suppressions'])
    expect(await importFile('bob\ntwitter\n')).toMatchObject({ imported: 2, rejected: [] })
  })

  it.each(['bob', '@name', 'https://x.com/email'])('is a person: %j', async (first) => {
    expect(await importFile(`${first}\nana\n`)).toMatchObject({ imported: 2, rejected: [] })
  })
})

describe('chosen columns', () => {
  const columns = (...names: string[]) => ({ columns: JSON.stringify(names) })

  it('replace the header', async () => {
    const file = 'Person,Why,Number\nana,Unsubscribed,\n,,4242\n'
    expect(await importFile(file, columns('twitter_handle', 'note', 'x_user_id'))).toMatchObject({ imported: 2 })
    expect(await listed()).toMatchObject([{ xUserId: '4242' }, { twitterHandle: 'ana', note: 'Unsubscribed' }])
  })

  it('apply to the first row as well if the file has no header', async () => {
    const query = { ...columns('twitter_handle', ''), header: 'false' }
    expect(await importFile('ana,x\nbob,y\n', query)).toMatchObject({ imported: 2 })
    expect(await importFile('@eve,x\nfay,y\n', columns('twitter_handle', ''))).toMatchObject({ imported: 2 })
    expect(await importFile('@first,x\ngil,y\n', { ...query, header: 'true' })).toMatchObject({ imported: 1 })
  })

  it.each([
    [columns('note', ''), 'Choose a column of handles or X user IDs.'],
    [columns('twitter_handle', 'name'), 'There is no column name. Use twitter_handle, x_user_id, reason or note.'],
    [columns('note', 'twitter_handle', 'note'), 'must name the 2 columns of the file, not 3'],
    [columns('twitter_handle', 'twitter_handle'), 'The file has two columns of handles.'],
    [{ columns: 'x' }, 'must be a JSON list'],
    [{ header: 'maybe' }, 'header'],
  ])('are rejected: %j', async (query, problem) => {
    const body = await importFile('a,b\nana,x\n', query as Record<string, string>)
    expect([body.code, JSON.stringify(body)]).toEqual(['INVALID_INPUT', expect.stringContaining(problem)])
  })
})
