import { WORKSPACE_LEADS_MAX } from '@x-automated/contract/leads/lead-limits'
import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { editProfiles, makeLeads, pretendBytes, pretendLeads, stageLead } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { takeSpace } from '../../../core/people/space.ts'
import { openStage } from '../../../core/people/stage-table.ts'
import { allBytes, leadBytes, leads } from '../../../core/tables/leads.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const importFile = (...lines: string[]) =>
  person.call('POST', '/leads/import', ['twitter_handle,bio,company', ...lines].join('\n'), {
    'content-type': 'text/csv',
  })
const bound = async () =>
  (await app.db.select().from(leadBytes).where(eq(leadBytes.workspaceId, person.workspaceId)))[0]?.bytes
const stored = async () => {
  const { rows } = await app.db.execute<{ bytes: number }>(
    sql`
      select coalesce(sum(${allBytes(alias(leads, 'l'))}), 0)::int as bytes
      from leads l
      where workspace_id = ${person.workspaceId}`,
  )
  return rows[0]?.bytes
}
/** Pretends that the workspace has this number of leads. */
const pretend = (count: number) => pretendLeads(app, person, count)

describe('a workspace with 2,000,000 leads', () => {
  it('imports no new ones and says so, but updates those it has', async () => {
    await importFile('ana,Founder,Acme')
    await pretend(WORKSPACE_LEADS_MAX)
    const error = 'A workspace can store at most 2,000,000 leads. Delete leads that you no longer need, then try again.'
    expect(await importFile('ben,Founder,Acme')).toMatchObject({
      status: 409,
      body: { success: false, code: 'TOO_MANY', error },
    })
    const [failed] = (await person.client.imports.list({})).imports
    expect(failed).toMatchObject({ status: 'failed', error })
    expect((await importFile('ana,Designer,Acme')).body).toMatchObject({ imported: 0, updated: 1 })
    await pretend(WORKSPACE_LEADS_MAX - 1)
    expect((await importFile('ben,Founder,Acme')).body).toMatchObject({ imported: 1 })
  })
})

describe('the bytes of a workspace', () => {
  it('are never less than those of its leads, whatever is imported, deleted and restored', async () => {
    for (let n = 0; n < 4; n += 1) {
      await importFile(`ana,${'b'.repeat(n * 100)},Köln ${n}`, `lead_${n},,"{""a"": 1}"`)
      await makeLeads(app, person, 2)
      expect(await bound()).toBeGreaterThanOrEqual((await stored()) ?? Number.NaN)
      const { removalId } = await person.client.leads.removeMany({ filter: { keyword: `lead_${n}` } })
      if (n % 2) await person.client.leads.restore({ removalId: String(removalId) })
    }
    await importFile('ben,,')
    expect(await bound()).toBeGreaterThanOrEqual((await stored()) ?? Number.NaN)
  })

  const others = 'benBen{}'.length
  const stageOne = (limit: number) =>
    app.db.transaction(async (tx) => {
      await openStage(tx)
      await stageLead({ db: tx }, 'ben', 'Ben')
      await takeSpace(tx, person.workspaceId, { isLimited: true, limits: { leads: 10, bytes: limit } })
    })
  const refusal = { code: 'TOO_MANY', message: expect.stringMatching(/ GB of leads\. Delete leads/) }

  it('are counted again before a limit refuses anything', async () => {
    await importFile('ana,Founder,Acme')
    const bytes = Number(await stored())
    await expect(stageOne(bytes + others - 1)).rejects.toMatchObject(refusal)
    // The stored size is too high, as if much had been deleted since.
    await pretendBytes(app, person, 3_000_000_000)
    await stageOne(bytes + others)
    expect(await bound()).toBe(bytes + others)
    expect((await importFile('ben,Founder,Acme')).status).toBe(200)
  })

  it('are counted at most once a minute while the workspace is full', async () => {
    await importFile('ana,Founder,Acme')
    const bytes = Number(await stored())
    const limit = bytes + others - 1
    await expect(stageOne(limit)).rejects.toMatchObject(refusal)
    // There is room now, but the size is not counted again for a minute.
    await editProfiles(app, { workspaceId: person.workspaceId }, { bio: null })
    await expect(stageOne(limit)).rejects.toMatchObject(refusal)
    const now = Date.now()
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(Date, 'now').mockReturnValue(now + 61_000)
    await pretendBytes(app, person, 3_000_000_000)
    await stageOne(limit)
    expect(await bound()).toBe(bytes + others - 'Founder'.length)
  })
})
