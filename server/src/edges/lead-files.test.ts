import { request } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { eq, sql } from 'drizzle-orm'
import Fastify from 'fastify'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { makeLeadFile } from '../../test/lead-file.ts'
import { makeLeads, setStatus } from '../../test/leads.ts'
import { type Answer, call, makePerson, type Person } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { leadCounts, leads } from '../core/tables/leads.ts'
import { limitBodyTime } from './body-time.ts'
import { refuseUnreadable } from './envelope.ts'
import { serveLeadFiles } from './lead-files.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const send = (body: string | Uint8Array<ArrayBuffer>, type = 'text/csv', by = person) =>
  fetch(`${app.url}/leads/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}`, 'content-type': type },
    body,
  }).then(async (response) => ({ status: response.status, body: (await response.json()) as Answer['body'] }))
const rows = () => app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)

describe('POST /leads/import', () => {
  it('imports 5,000 realistic rows, reports every bad row, and changes nothing the second time', async () => {
    const file = makeLeadFile(5_000)
    const first = await send(file.text, 'text/csv; charset=utf-8')
    expect(first.status).toBe(200)
    expect(first.body.rejected).toEqual(file.rejected)
    expect(first.body).toMatchObject({ imported: file.handles.length, updated: 0, rejectedCount: file.rejected.length })
    expect(file.rejected.length).toBeGreaterThan(250)

    const stored = await rows()
    expect(stored.map((lead) => lead.twitterHandle)).toEqual(file.handles)
    expect(stored.map(({ name, bio, followerCount }) => ({ name, bio, followerCount }))).toEqual([
      ...file.people.values(),
    ])
    expect(stored.every(({ metadata }) => /^Company \d+$/.test(String(metadata.company)))).toBe(true)
    await setStatus(app, { id: stored[0]!.id }, 'contacted')
    const again = await send(file.text)
    expect(again.body).toEqual({ ...first.body, imported: 0, updated: file.handles.length })
    const after = await rows()
    expect(after.map(({ updatedAt: _, ...lead }) => lead)).toEqual(
      stored.map(({ updatedAt: _, ...lead }, index) => (index === 0 ? { ...lead, dmStatus: 'contacted' } : lead)),
    )
    const counts = await app.db.select().from(leadCounts).where(eq(leadCounts.workspaceId, person.workspaceId))
    expect(counts.reduce((sum, row) => sum + row.count, 0)).toBe(file.handles.length)
  })

  it('accepts decimal points as thousands separators in semicolon files', async () => {
    expect((await send('twitter_handle;follower_count\nana;1.500\n')).body).toMatchObject({ imported: 1, rejected: [] })
    expect(await rows()).toMatchObject([{ followerCount: 1_500 }])
  })

  it('accepts line feeds without carriage returns', async () => {
    const file = makeLeadFile(300, '\n')
    const { body } = await send(file.text)
    expect(body).toMatchObject({ imported: file.handles.length, rejected: file.rejected })
  })

  it('requires only twitter_handle and keeps values of blank cells', async () => {
    await makeLeads(app, person, [{ twitterHandle: 'ana', name: 'Ana', bio: 'Old', metadata: { a: '1' } }])
    const { body } = await send('Bio;TWITTER_HANDLE;B\n;@ANA;2\nNew;bob;\n')
    expect(body).toEqual({ imported: 1, updated: 1, rejected: [], rejectedCount: 0, warnings: [], warningCount: 0 })
    expect(await rows()).toMatchObject([
      { twitterHandle: 'ana', name: 'Ana', bio: 'Old', metadata: { a: '1', B: '2' } },
      { twitterHandle: 'bob', name: '', bio: 'New', metadata: {} },
    ])
  })

  it('imports nothing from a header alone', async () => {
    expect((await send('twitter_handle\n')).body).toEqual({
      imported: 0,
      updated: 0,
      rejected: [],
      rejectedCount: 0,
      warnings: [],
      warningCount: 0,
    })
  })

  it('lists the first 10,000 bad rows and counts all', async () => {
    const { body } = await send(`twitter_handle\n${'no-handle\n'.repeat(9_000)}${'ana\n'.repeat(2_001)}`)
    expect(body).toMatchObject({ imported: 1, rejectedCount: 11_000 })
    expect(body.rejected).toHaveLength(10_000)
    expect(body.rejected[9_000]).toEqual({ line: 9_003, problem: 'is a duplicate of line 9002' })
  })

  it.each([
    ['an empty file', '', 'The file is empty.'],
    ['a byte order mark alone', '\ufeff', 'The file is empty.'],
    ['no column of handles', 'name,bio\nAna,x\n', 'The first line must name a column twitter_handle.'],
    [
      'a first line that cannot be read',
      '"twitter_handle,name',
      'The first line has a quote that is not closed or not doubled.',
    ],
    ['UTF-16', Buffer.from('\ufefftwitter_handle\nana\n', 'utf16le'), /not UTF-8/],
    ['Latin-1', Buffer.from('twitter_handle,name\nana,Zo\xeb\n', 'latin1'), /not UTF-8/],
    ['a character cut off at the end', Buffer.from('twitter_handle,name\nana,é').subarray(0, -1), /not UTF-8/],
  ])('returns 400 for %s', async (_name, body, text) => {
    const response = await send(typeof body === 'string' ? body : new Uint8Array(body))
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(response.body.error).toMatch(text)
    expect(await rows()).toEqual([])
  })

  it.each(['application/json', 'text/plain', 'text/csv; charset=iso-8859-1'])(
    'returns 400 for a file sent as %s',
    async (type) => {
      expect((await send('{}', type)).body).toMatchObject({ success: false, code: 'INVALID_INPUT' })
    },
  )

  it('returns 401 for visitors and 403 for viewers, before reading the file', async () => {
    const nobody = await call(app, 'POST', '/leads/import', 'x', { 'content-type': 'text/csv' })
    expect([nobody.status, nobody.body.code]).toEqual([401, 'UNAUTHORIZED'])
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await send('twitter_handle\nana', 'text/csv', viewer)).body).toMatchObject({ code: 'FORBIDDEN' })
    expect(await rows()).toEqual([])
  })

  it('returns 413 above 64 MB and imports nothing', async () => {
    const chunk = new TextEncoder().encode('ana,y\n'.repeat(100_000))
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(sent === 0 ? new TextEncoder().encode('twitter_handle,name\n') : chunk)
        sent += chunk.length
        if (sent > 70 * 1024 * 1024) controller.close()
      },
    })
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'text/csv' },
    }
    const response = await fetch(`${app.url}/leads/import`, init as RequestInit)
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'BODY_TOO_LARGE'])
    expect(await rows()).toEqual([])
  })

  it('imports nothing if the client disconnects during the upload', async () => {
    await new Promise<void>((resolve) => {
      const sending = request(`${app.url}/leads/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'text/csv', 'content-length': '1000' },
      })
      sending.on('error', () => resolve())
      sending.write('twitter_handle\nana\n')
      setTimeout(() => sending.destroy(new Error('gone')), 100)
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await rows()).toEqual([])
  })

  it('imports nothing if the database fails midway', async () => {
    await app.db.execute(sql`create function refuse_lead() returns trigger language plpgsql as $$
      begin if new.twitter_handle = 'poison' then raise exception 'poisoned'; end if; return new; end $$`)
    await app.db.execute(
      sql`create trigger refuse_lead before insert on leads for each row execute function refuse_lead()`,
    )
    app.expectFault(/Failed query|poisoned/)
    const response = await send('twitter_handle\nana\npoison\nbob\n')
    await app.db.execute(sql`drop trigger refuse_lead on leads`)
    expect([response.status, response.body.code]).toEqual([500, 'INTERNAL'])
    expect(JSON.stringify(response.body)).not.toContain('poison')
    expect(await rows()).toEqual([])
    expect((await send('twitter_handle\nana\npoison\nbob\n')).body.imported).toBe(3)
  })

  it('limits what a lead stores besides its bio to 8,000 bytes', async () => {
    const filled = (column: string) => `twitter_handle,${column}\nana,${'x'.repeat(3_900)}\nbob,\n`
    for (let n = 0; n < 2; n += 1) await send(filled(`own ${n}`))
    expect((await send(filled('own 2'))).body).toEqual({
      imported: 0,
      updated: 1,
      rejected: [{ line: 2, problem: 'would give this lead more than 8,000 bytes besides the bio' }],
      rejectedCount: 1,
      warnings: [],
      warningCount: 0,
    })
    expect((await send(filled('own 1'))).body).toMatchObject({ updated: 2, rejected: [] })
    // The other columns count, too.
    const url = `https://example.com/${'x'.repeat(1_000)}`
    expect((await send(`twitter_handle,url\nana,${url}\n`)).body).toMatchObject({ updated: 0, rejectedCount: 1 })
    // A bio has a limit of its own.
    const bios = await send(`twitter_handle,bio\nana,${'b'.repeat(1_000)}\nbob,${'b'.repeat(1_001)}\n`)
    expect(bios.body).toMatchObject({
      updated: 1,
      rejected: [{ line: 3, problem: 'bio is longer than 1000 characters' }],
    })
  })

  it('creates each lead once for concurrent imports of one file', async () => {
    const file = makeLeadFile(400)
    const responses = await Promise.all([send(file.text), send(file.text), send(file.text)])
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200])
    expect(responses.reduce((sum, response) => sum + response.body.imported, 0)).toBe(file.handles.length)
    expect(await rows()).toHaveLength(file.handles.length)
  })

  it("is not blocked by slow uploads, and returns 429 for a user's fourth file", async () => {
    const slow = await Promise.all([makePerson(app), makePerson(app)])
    /** Sends the beginning of a file. */
    const begin = (by: Person) => {
      const headers = { authorization: `Bearer ${by.token}`, 'content-type': 'text/csv', 'content-length': '60000000' }
      const sending = request(`${app.url}/leads/import`, { method: 'POST', headers })
      sending.on('error', () => {})
      // The server rejects this upload while one of the files below is in progress.
      sending.on('response', () => begin(by))
      sending.write('twitter_handle\n')
      onTestFinished(() => void sending.destroy())
    }
    for (const by of slow) for (let n = 0; n < 3; n += 1) begin(by)
    for (const by of slow)
      await expect
        .poll(async () => (await send('twitter_handle\nbob\n', 'text/csv', by)).body)
        .toMatchObject({ code: 'RATE_LIMITED', error: expect.stringContaining('already importing 3 files') })
    expect((await send('twitter_handle\nbob\n')).body).toMatchObject({ imported: 1 })
  })

  it('aborts uploads slower than 4 KiB per second', async () => {
    const server = Fastify({ clientErrorHandler: refuseUnreadable })
    limitBodyTime(server, { paceSeconds: 0.3 })
    serveLeadFiles(server, app.services)
    const origin = await server.listen({ port: 0 })
    onTestFinished(() => server.close())
    const sending = (bytes: number) =>
      new Promise<unknown>((resolve, reject) => {
        const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'text/csv' }
        const upload = request(`${origin}/api/leads/import`, { method: 'POST', headers })
        upload.write('twitter_handle\n')
        const writing = setInterval(() => upload.write('\n'.repeat(bytes)), 50)
        const stop = () => {
          clearInterval(writing)
          upload.end()
        }
        setTimeout(stop, 1_500)
        upload.on('response', (response) => resolve(json(response).finally(stop)))
        upload.on('error', reject)
      })
    expect(await sending(1)).toEqual({
      success: false,
      code: 'INVALID_INPUT',
      error: 'The request arrived too slowly. Check your connection and try again.',
    })
    expect(await sending(1_000)).toMatchObject({ imported: 0 })
  })

  it('reads a file of bad rows without blocking the event loop', async () => {
    const began = performance.now()
    let before = began
    let longestTurn = 0
    const timer = setInterval(() => {
      longestTurn = Math.max(longestTurn, performance.now() - before)
      before = performance.now()
    }, 5)
    expect((await send(`twitter_handle\n${'!!\n'.repeat(99_000)}`)).body).toMatchObject({ rejectedCount: 99_000 })
    clearInterval(timer)
    // On the event loop, most of the file would be one turn.
    expect(longestTurn).toBeLessThan((performance.now() - began) / 3)
  })

  it.each([
    ['blank', '\n', 'is empty'],
    ['wrong', '!!\n', 'twitter_handle must be 1 to 15 letters, digits or underscores'],
    ['unreadable', '"x,\n', 'has a quote that is not closed or not doubled'],
  ])('stops after 100,000 %s rows and imports nothing', async (_name, line, problem) => {
    const response = await send(`twitter_handle\nana\n${line.repeat(100_001)}bob\n`)
    const error = `More than 100,000 rows have a problem, so nothing was imported. The first problem is in row 3: ${problem}.`
    expect([response.status, response.body.code, response.body.error]).toEqual([400, 'INVALID_INPUT', error])
    expect(await rows()).toEqual([])
    expect((await person.client.imports.list({})).imports[0]).toMatchObject({ status: 'failed', error })
  })

  it('allows uploads more time than other requests', async () => {
    const server = Fastify()
    limitBodyTime(server, { seconds: 0.3 })
    server.post('/other', async () => ({}))
    serveLeadFiles(server, app.services)
    const origin = await server.listen({ port: 0 })
    try {
      const slowly = (path: string, type: string, parts: string[]) =>
        fetch(`${origin}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${person.token}`, 'content-type': type },
          body: Readable.toWeb(
            Readable.from(
              (async function* () {
                for (const part of parts) {
                  yield Buffer.from(part)
                  await new Promise((resolve) => setTimeout(resolve, 800))
                }
              })(),
            ),
          ),
          duplex: 'half',
        } as RequestInit).then((response) => response.status)
      const file = await slowly('/api/leads/import', 'text/csv', ['twitter_handle\n', 'ana\n'])
      expect(file).toBe(200)
      const other = await slowly('/other', 'application/json', ['{"a":', '1}']).catch(() => 'cut off')
      expect(other).not.toBe(200)
    } finally {
      await server.close()
    }
  })
})

describe('GET /leads/export', () => {
  const read = async (query = '', by = person) => {
    const response = await fetch(`${app.url}/leads/export${query}`, {
      headers: { authorization: `Bearer ${by.token}` },
    })
    return { response, text: Buffer.from(await response.arrayBuffer()).toString() }
  }

  it('escapes formulas for spreadsheets', async () => {
    await makeLeads(app, person, [
      {
        twitterHandle: 'ana',
        name: '=HYPERLINK("http://evil")',
        bio: '+1, "quoted"\nnext',
        location: '@home',
        metadata: { a: '-1' },
      },
    ])
    const { response, text } = await read()
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="leads.csv"')
    const [header, ...lines] = text.slice(1).split('\r\n')
    expect(text.startsWith('\ufeff')).toBe(true)
    expect(header).toBe(
      'id,name,twitter_handle,bio,follower_count,following_count,source_profile,url,profile_image_url,location,website,metadata,tags,basis,basis_at,basis_source,dm_status,created_at,updated_at',
    )
    expect(lines.join('\r\n')).toContain(
      `,"'=HYPERLINK(""http://evil"")",ana,"'+1, ""quoted""\nnext",,,,,,'@home,,"{""a"":""-1""}",,,,,not_sent,`,
    )
  })

  it('exports a file that can be imported without changes', async () => {
    await send(makeLeadFile(1_500).text)
    const before = await rows()
    const { text } = await read()
    const other = await makePerson(app)
    const { body } = await send(text, 'text/csv', other)
    expect(body).toMatchObject({ imported: before.length, rejected: [] })
    const after = await app.db.select().from(leads).where(eq(leads.workspaceId, other.workspaceId)).orderBy(leads.id)
    const withoutIds = (list: typeof before) =>
      list.map(({ id: _, workspaceId: __, userId: ___, createdAt: ____, updatedAt: _____, ...lead }) => lead)
    expect(withoutIds(after)).toEqual(withoutIds(before))
  })

  it('imports renamed columns, tags and a default basis, and streams its progress', async () => {
    const columns = encodeURIComponent(JSON.stringify(['name', 'twitter_handle', 'tags', 'basis', '', 'Company']))
    const response = await fetch(
      `${app.url}/leads/import?columns=${columns}&basis=customer&basisSource=${encodeURIComponent('Our shop')}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${person.token}`,
          'content-type': 'text/csv',
          accept: 'application/x-ndjson',
        },
        body: `Who,X,Groups,Why,Secret,Firm\nAna,@ana,"VIP; fair",,s,Acme\n${'Bob,bob,vip,asked,s,\n'}${Array.from({ length: 6_000 }, (_, n) => `P,p_${n},,,,\n`).join('')}`,
      },
    )
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const messages = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(messages.at(-1)).toEqual({
      result: { imported: 6_002, updated: 0, rejected: [], rejectedCount: 0, warnings: [], warningCount: 0 },
    })
    const [begun] = (await person.client.imports.list({})).imports
    expect(messages[0]).toEqual({ import: { id: begun!.id } })
    const stages = messages.slice(1, -1).map(({ progress }) => progress as { stage: string; done: number; of: number })
    expect(stages.filter(({ stage }) => stage === 'reading').length).toBeGreaterThan(3)
    expect(stages.filter(({ stage }) => stage === 'saving')).toEqual([
      { stage: 'saving', done: 5_000, of: 6_002 },
      { stage: 'saving', done: 6_002, of: 6_002 },
    ])
    const [ana, bob] = await rows()
    expect(ana).toMatchObject({
      name: 'Ana',
      basis: 'customer',
      basisSource: 'Our shop',
      metadata: { Company: 'Acme' },
    })
    expect(bob).toMatchObject({ basis: 'asked', metadata: {} })
    const { tags } = await person.client.tags.list()
    expect(tags.map(({ name, leadCount }) => [name.toLowerCase(), leadCount])).toEqual([
      ['fair', 1],
      ['vip', 2],
    ])
    // The same file without a basis keeps the known one.
    const { text } = await read('?maxFollowers=0')
    expect(text.split('\r\n')).toHaveLength(2)
    const all = await read()
    expect(all.text.split('\r\n')[1]).toMatch(/,Ana,ana,.*,"fair, VIP",customer,2.*,Our shop,not_sent,/)
    await send(all.text)
    expect((await rows())[0]).toMatchObject({ basis: 'customer', basisSource: 'Our shop', basisAt: ana!.basisAt })
  })

  it.each([
    ['columns=[', 'columns'],
    ['columns=["twitter_handle"]', 'columns'],
    ['columns={"a":1}', 'columns'],
    ['basis=maybe', 'basis'],
  ])('returns 400 for an import with %s', async (query, field) => {
    const response = await person.call('POST', `/leads/import?${query}`, 'name,twitter_handle\n', {
      'content-type': 'text/csv',
    })
    expect([response.status, response.body.details?.[0]?.field]).toEqual([400, field])
  })

  it('streams the status and body of a late failure', async () => {
    const tags = Array.from({ length: 101 }, (_, n) => `p_${n},tag ${n}\n`).join('')
    const response = await fetch(`${app.url}/leads/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'text/csv', accept: 'application/x-ndjson' },
      body: `twitter_handle,tags\n${tags}`,
    })
    expect(JSON.parse((await response.text()).trim().split('\n').at(-1)!)).toEqual({
      failure: {
        status: 400,
        body: {
          success: false,
          code: 'INVALID_INPUT',
          error: 'The file has too many tags: a workspace can have at most 100.',
        },
      },
    })
    expect(await rows()).toEqual([])
  })

  it('exports only leads of the workspace that match the filter, for viewers too', async () => {
    await makeLeads(app, person, [
      { twitterHandle: 'few', followerCount: 1 },
      { twitterHandle: 'many', followerCount: 9 },
    ])
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const { text } = await read('?minFollowers=5', viewer)
    expect(text).toContain(',many,')
    expect(text).not.toContain(',few,')
    expect((await read('', await makePerson(app))).text.split('\r\n')).toHaveLength(2)
  })

  it('returns 400 for an invalid filter', async () => {
    const { response, text } = await read('?status=gone')
    expect([response.status, JSON.parse(text).details]).toMatchObject([400, [{ field: 'status' }]])
  })
  it('returns 401 without a session', async () => {
    expect((await call(app, 'GET', '/leads/export')).status).toBe(401)
  })
})
