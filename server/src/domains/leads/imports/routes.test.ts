import { request } from 'node:http'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertImports, silenceImports } from '../../../../test/imports.ts'
import { startProcess } from '../../../../test/jobs.ts'
import { insertList } from '../../../../test/lists.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { waitForBlockedStatement } from '../../../../test/outreach.ts'
import type { ImportSource } from '../../../core/people/import.ts'
import { leads } from '../../../core/tables/leads.ts'
import { run } from './imports.ts'
import { DIED } from './rules.ts'
import { imports } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const send = (body: string, query = '') =>
  person.call('POST', `/leads/import${query}`, body, { 'content-type': 'text/csv' })
const leadsIn = () => app.db.$count(leads, eq(leads.workspaceId, person.workspaceId))
const newest = async () => (await person.client.imports.list({})).imports[0]!

/** A part of a file, half of whose 1,000 bytes have been read. */
const partOf = (people: number, first = 0) => ({
  rows: JSON.stringify(
    Array.from({ length: people }, (_, n) => ({ line: first + n + 2, twitter_handle: `person_${first + n}` })),
  ),
  rejected: [],
  rejectedCount: 0,
  warnings: [],
  warningCount: 0,
  bytesRead: 500,
})

/** A file of `people` leads that runs `before` before its end. */
function fileOf(people: number, before: () => Promise<unknown>): ImportSource {
  return {
    bytes: 1_000,
    inTurn: (work) => work(),
    async *read() {
      yield partOf(people)
      await before()
    },
  }
}

describe('POST /leads/import with listName', () => {
  const result = async () => person.client.imports.find({ id: (await newest()).id })

  it("puts new and existing leads on a list with the import's id", async () => {
    await send('twitter_handle\nana\n')
    expect((await result()).list).toBeNull()
    await send('twitter_handle\nana\nbob\nno-handle\n', '?listName=%20People%20')
    const { id, list } = await result()
    expect(list).toEqual({ id, name: 'People' })
    const { leads: listed } = await person.client.lists.leads({ id })
    expect(listed.map(({ twitterHandle }) => twitterHandle).sort()).toEqual(['ana', 'bob'])
    expect(await person.client.lists.find({ id })).toMatchObject({ leadCount: 2, contactedCount: 0 })
    await person.client.lists.remove({ id })
    expect((await result()).list).toBeNull()
  })

  it('fails if another workspace has created a list with its id, which gets no leads', async () => {
    const stranger = await makePerson(app)
    let id = ''
    const onBegun = (begun: string) => {
      id = begun
    }
    const create = () => stranger.client.lists.create({ id, name: 'Theirs' })
    const options = { listName: 'Ours', onBegun }
    await expect(run(app.services, person.actor, fileOf(1, create), options)).rejects.toMatchObject({
      code: 'IMPORT_STATE',
      message: 'Another list has the id of this import. Nothing was imported. Import the file again.',
    })
    expect(await newest()).toMatchObject({ status: 'failed', error: expect.stringContaining('Import the file again') })
    expect((await stranger.client.lists.leads({ id })).leads).toEqual([])
    expect([await leadsIn(), (await person.client.lists.list({})).total]).toEqual([0, 0])
  })

  it('leaves its row unlocked while it fills the list, so that its progress can be written', async () => {
    let id = ''
    const onBegun = (begun: string) => {
      id = begun
    }
    let importing: Promise<unknown> = Promise.resolve()
    const options = { listName: 'Ours', onBegun }
    const undone = app.db.transaction(async (tx) => {
      const begun = new Promise<void>((resolve) => {
        importing = run(
          app.services,
          person.actor,
          fileOf(1, async () => {
            await insertList({ db: tx }, person, 'Uncommitted', id)
            resolve()
          }),
          options,
        )
      })
      await begun
      await waitForBlockedStatement(app)
      const { rows } = await app.db.execute(sql`select id from imports where id = ${id} for update skip locked`)
      expect(rows).toEqual([{ id }])
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    await importing
    expect((await result()).list).toEqual({ id, name: 'Ours' })
  })

  it('creates no list if nobody is imported or the import fails', async () => {
    await send('twitter_handle\nno-handle\n', '?listName=Nobody')
    await send('name\nAna\n', '?listName=Failed')
    expect((await person.client.lists.list({})).total).toBe(0)
  })
})

describe('GET /imports, GET /imports/{id}', () => {
  it('return the result and rejected rows of an import to all members', async () => {
    await send('twitter_handle\nana\nbob\nno-handle\n', '?fileName=people.csv')
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const { imports: all, total } = await viewer.client.imports.list({})
    expect([all.length, total]).toEqual([1, 1])
    expect(all[0]).toMatchObject({
      fileName: 'people.csv',
      status: 'completed',
      imported: 2,
      updated: 0,
      rejectedCount: 1,
      secondsLeft: null,
      error: null,
    })
    expect(all[0]).not.toHaveProperty('rejected')
    expect((await viewer.client.imports.find({ id: all[0]!.id })).rejected).toEqual([
      { line: 4, problem: 'twitter_handle must be 1 to 15 letters, digits or underscores' },
    ])
  })

  it('return why an import failed', async () => {
    const odd = await send('a\u0000,a\u0000,twitter_handle\n')
    expect([odd.status, odd.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(await newest()).toMatchObject({ status: 'failed', error: 'The file has two columns named a.' })
    expect((await send('name\nAna\n')).status).toBe(400)
    expect(await newest()).toMatchObject({
      fileName: null,
      status: 'failed',
      error: 'The first line must name a column twitter_handle.',
    })
  })

  it('return failed if the process was killed', async () => {
    await send('twitter_handle\nana\n')
    await silenceImports(app, { workspaceId: person.workspaceId }, 120)
    const died = await newest()
    expect(died).toMatchObject({ status: 'failed', error: DIED })
    const canceling = await person.call('POST', `/imports/${died.id}/cancel`)
    expect([canceling.status, canceling.body.code]).toEqual([409, 'IMPORT_STATE'])
  })

  it('mark only imports of dead processes as failed on start', async () => {
    const { database, requestWorker } = app.services
    const statuses = () =>
      app.db
        .select({ fileName: imports.fileName, status: imports.status, error: imports.error })
        .from(imports)
        .where(eq(imports.workspaceId, person.workspaceId))
        .orderBy(imports.fileName)
    const dead = await startProcess(app)
    await insertImports(
      app,
      person,
      { fileName: 'of a dead process', workerId: dead },
      { fileName: 'of an unknown process' },
      { fileName: 'of an unknown process, silent' },
      { fileName: 'of this process', workerId: await requestWorker.workerId() },
    )
    await silenceImports(app, { fileName: 'of an unknown process, silent' }, 120)
    const running = { status: 'running', error: null }
    const failed = { status: 'failed', error: DIED }
    await app.startAnother()
    expect(await statuses()).toEqual([
      { fileName: 'of a dead process', ...failed },
      { fileName: 'of an unknown process', ...running },
      { fileName: 'of an unknown process, silent', ...failed },
      { fileName: 'of this process', ...running },
    ])
    await run(
      app.services,
      person.actor,
      fileOf(1, async () => {}),
      { fileName: 'taken in' },
    )
    const [made] = await database.db.select().from(imports).where(eq(imports.fileName, 'taken in'))
    expect(made?.workerId).toBe(await requestWorker.workerId())
  })

  it('return the newest 20', async () => {
    await send('twitter_handle\nana\n')
    // An import of a killed process counts like the others.
    await silenceImports(app, { workspaceId: person.workspaceId }, 7_200)
    for (let n = 0; n < 22; n += 1) await send('twitter_handle\nana\n', `?fileName=${n}`)
    const { imports: all, total } = await person.client.imports.list({})
    expect([total, all.at(0)?.fileName, all.at(-1)?.fileName]).toEqual([20, '21', '2'])
  })

  it('return 404 IMPORT_NOT_FOUND', async () => {
    const response = await person.call('GET', '/imports/01900000-0000-7000-8000-000000000000')
    expect([response.status, response.body.code]).toEqual([404, 'IMPORT_NOT_FOUND'])
  })
})

describe('a running import', () => {
  it('reports its progress and remaining time, and saves nothing if canceled', async () => {
    const taking = run(
      app.services,
      person.actor,
      fileOf(2_500, async () => {
        await expect.poll(newest, { timeout: 60_000 }).toMatchObject({
          status: 'running',
          stage: 'reading',
          done: 500,
          of: 1_000,
          secondsLeft: expect.any(Number),
        })
        const { id } = await newest()
        expect((await person.call('POST', `/imports/${id}/cancel`)).body).toMatchObject({ id, status: 'canceled' })
      }),
    )
    await expect(taking).rejects.toMatchObject({ code: 'IMPORT_STATE' })
    const { id, status } = await newest()
    expect([status, await leadsIn()]).toEqual(['canceled', 0])
    const again = await person.call('POST', `/imports/${id}/cancel`)
    expect([again.status, again.body.code]).toEqual([409, 'IMPORT_STATE'])
    expect((await person.call('POST', '/imports/01900000-0000-7000-8000-000000000000/cancel')).status).toBe(404)
  })

  it('stops reading when canceled', async () => {
    const endless: ImportSource = {
      ...fileOf(0, async () => {}),
      async *read() {
        for (let read = 0; ; read += 500) {
          if (read === 1_500) await person.call('POST', `/imports/${(await newest()).id}/cancel`)
          yield partOf(500, read)
        }
      },
    }
    await expect(run(app.services, person.actor, endless)).rejects.toMatchObject({ code: 'IMPORT_STATE' })
    expect(await leadsIn()).toBe(0)
  })

  it('saves nothing once it was reported as dead', async () => {
    const taking = run(
      app.services,
      person.actor,
      fileOf(1, async () => {
        await silenceImports(app, { workspaceId: person.workspaceId }, 120)
      }),
    )
    await expect(taking).rejects.toMatchObject({ code: 'IMPORT_STATE', message: DIED })
    expect(await newest()).toMatchObject({ status: 'failed', error: DIED })
    expect(await leadsIn()).toBe(0)
  })

  it('reports its progress while the pool is exhausted', async () => {
    const { pool, sidePool } = app.services.database
    const file = fileOf(2_500, async () => {
      const others = await Promise.all(Array.from({ length: pool.options.max - 1 }, () => pool.connect()))
      const done = async () =>
        (await sidePool.query('select done::int from imports where workspace_id = $1', [person.workspaceId])).rows
      try {
        await expect.poll(done, { timeout: 60_000 }).toEqual([{ done: 500 }])
      } finally {
        for (const client of others) client.release()
      }
    })
    expect(await run(app.services, person.actor, file)).toMatchObject({ imported: 2_500 })
  })

  it('continues when the client disconnects', async () => {
    const holder = await app.services.database.connect()
    await holder.query('begin')
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('leads of ${person.workspaceId}', 0))`)
    await new Promise<void>((resolve, reject) => {
      const sending = request(`${app.url}/leads/import`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${person.token}`,
          'content-type': 'text/csv',
          accept: 'application/x-ndjson',
        },
      })
      sending.on('response', (response) =>
        response.once('data', () => {
          sending.destroy()
          resolve()
        }),
      )
      sending.on('error', reject)
      sending.end('twitter_handle\nana\nbob\n')
    })
    expect(await newest()).toMatchObject({ status: 'running' })
    await holder.query('rollback')
    await holder.end()
    await expect.poll(newest, { timeout: 60_000 }).toMatchObject({ status: 'completed', imported: 2 })
    expect(await leadsIn()).toBe(2)
  })
})
