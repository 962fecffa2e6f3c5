import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads } from '../../test/leads.ts'
import { makePerson, type Person } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { leads } from '../core/tables/leads.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const send = async (lines: string[], path = '/leads/import', by = person) =>
  (await by.call('POST', path, `${lines.join('\n')}\n`, { 'content-type': 'text/csv' })).body
const people = async () => {
  const rows = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)
  return rows.map(({ twitterHandle, xUserId, xUserCheckedAt }) => [twitterHandle, xUserId, xUserCheckedAt !== null])
}
const ROUNDED = 'x_user_id was rounded by a spreadsheet or another program, so it was left out'
const HEADER = 'twitter_handle,x_user_id'
const [ANN, BOB] = [idOfHandle('ann'), idOfHandle('bob')]

describe('POST /leads/import with X ids', () => {
  it('does not believe ids that a spreadsheet or a program rounded, and keeps the handles', async () => {
    const lines = [
      'open_r1,1588631281067220000',
      'open_r2,1588631281067220000',
      'open_r3,1.58863E+18',
      '"open_r4","1,58863E+18"',
      'open_r5,1588631281067221200',
      'open_r6,n/a',
    ]
    const report = await send([HEADER, ...lines])
    expect(report).toMatchObject({ imported: 6, updated: 0, rejectedCount: 0, warningCount: 6 })
    expect(report.warnings.slice(0, 3)).toEqual([2, 3, 4].map((line) => ({ line, problem: ROUNDED })))
    expect(report.warnings[5].problem).toBe('x_user_id is not an X user ID, so it was left out')
    expect(await people()).toEqual(lines.map((_, index) => [`open_r${index + 1}`, null, false]))
    const [listed] = (await person.client.imports.list({})).imports
    expect(listed?.warningCount).toBe(6)
    expect((await person.client.imports.find({ id: listed!.id })).warnings).toEqual(report.warnings)
    expect(await send([HEADER, ...lines])).toEqual({ ...report, imported: 0, updated: 6 })
  })

  it('rejects a row that has only a rounded id', async () => {
    expect(await send([HEADER, ',1588631281067220000'])).toMatchObject({
      imported: 0,
      rejected: [
        {
          line: 2,
          problem: 'twitter_handle is missing, and x_user_id was rounded by a spreadsheet or another program',
        },
      ],
    })
  })

  it('believes an id as long as X has not shown otherwise', async () => {
    await send([HEADER, `ann,${ANN}`, `bob,'${BOB}`])
    expect(await people()).toEqual([
      ['ann', ANN, false],
      ['bob', BOB, false],
    ])
  })

  it('keeps both people if one id is in the rows of two handles', async () => {
    const report = await send([HEADER, `ann,${ANN}`, `bob,${ANN}`, `ANN,${BOB}`])
    expect(report).toMatchObject({ imported: 2, rejected: [{ line: 4, problem: 'is a duplicate of line 2' }] })
    const problem = `x_user_id ${ANN} is also in the row of another handle, so it was left out`
    expect(report.warnings).toEqual([
      { line: 2, problem },
      { line: 3, problem },
    ])
    expect(await people()).toEqual([
      ['ann', null, false],
      ['bob', null, false],
    ])
  })

  it('keeps both people if two files have one id for two handles', async () => {
    await send([HEADER, `ann,${ANN}`])
    const report = await send([HEADER, `bob,${ANN}`])
    expect(report).toMatchObject({ imported: 1, updated: 0, warningCount: 1 })
    expect(report.warnings[0].problem).toBe(`x_user_id ${ANN} was imported for @ann before, so it was left out`)
    expect(await people()).toEqual([
      ['ann', null, false],
      ['bob', null, false],
    ])
  })

  it('believes neither id if two files have two ids for one handle', async () => {
    await send([HEADER, `ann,${ANN}`])
    const report = await send([HEADER, `ann,${BOB}`])
    expect(report).toMatchObject({ imported: 0, updated: 1 })
    expect(report.warnings[0].problem).toBe(
      `x_user_id ${BOB} differs from the one that was imported for @ann before, so it was left out`,
    )
    expect(await people()).toEqual([['ann', null, false]])
  })

  it('believes X rather than a file, and finds people by former handles', async () => {
    await makeLeads(app, person, [{ twitterHandle: 'ann_old', xUserId: ANN }])
    await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: ANN }])
    expect(await send([HEADER, `ann_old,${ANN}`])).toMatchObject({ imported: 0, updated: 1, warningCount: 0 })
    const report = await send([HEADER, `bob,${ANN}`])
    expect(report).toMatchObject({ imported: 1, updated: 0 })
    expect(report.warnings[0].problem).toBe(`x_user_id ${ANN} belongs to @ann on X, so it was left out`)
    expect(await people()).toEqual([
      ['ann', ANN, true],
      ['bob', null, false],
    ])
  })

  it('adds another person for a handle that X has shown with another id', async () => {
    await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: ANN }])
    expect(await send([HEADER, `ann,${BOB}`])).toMatchObject({ imported: 1, updated: 0, warningCount: 0 })
    expect(await people()).toEqual([
      ['ann', ANN, true],
      ['ann', BOB, false],
    ])
  })
})

describe('POST /suppressions/import with X ids', () => {
  const path = '/suppressions/import'
  const entries = async () => {
    const { suppressions } = await person.client.suppressions.list({})
    return suppressions.map(({ twitterHandle, xUserId }) => [twitterHandle, xUserId]).sort()
  }

  it('suppresses every handle, also of rounded and shared ids', async () => {
    const rounded = ['r1,1588631281067220000', 'r2,1588631281067220000', 'r3,1.58863E+18']
    const report = await send([HEADER, ...rounded, `ann,${ANN}`, `ann_new,${ANN}`, ',1.58863E+18'], path)
    expect(report).toMatchObject({ imported: 5, known: 0, rejectedCount: 1, warningCount: 5 })
    expect(report.warnings.map((warning: { problem: string }) => warning.problem)).toEqual([
      ROUNDED,
      ROUNDED,
      ROUNDED,
      `x_user_id ${ANN} is also in the row of another handle`,
      `x_user_id ${ANN} is also in the row of another handle`,
    ])
    expect(await entries()).toEqual([
      ['ann', ANN],
      ['ann_new', ANN],
      ['r1', null],
      ['r2', null],
      ['r3', null],
    ])
    expect(await send([HEADER, ...rounded, `ann,${ANN}`], path)).toMatchObject({ imported: 0, known: 4 })
  })

  it('suppresses a handle whose row has the id of someone who is suppressed already', async () => {
    await send([HEADER, `ann,${ANN}`], path)
    await send([HEADER, `bob,${ANN}`], path)
    expect(await entries()).toEqual([
      ['ann', ANN],
      ['bob', ANN],
    ])
  })

  it('suppresses both people if X has shown the handle with another id than the file', async () => {
    await makeLeads(app, person, [
      { twitterHandle: 'ann', xUserId: ANN },
      { twitterHandle: 'bob', xUserId: BOB },
    ])
    await send([HEADER, `ann,${BOB}`], path)
    const { leads: suppressed } = await person.client.leads.list({ suppressed: true })
    expect(suppressed.map(({ twitterHandle }) => twitterHandle).sort()).toEqual(['ann', 'bob'])
  })

  it('leaves out a rounded id that POST /suppressions gets', async () => {
    await person.client.suppressions.create({ handles: ['ann'], xUserId: '1588631281067220000' })
    expect(await entries()).toEqual([['ann', null]])
  })
})
