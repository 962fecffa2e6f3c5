import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { openHandles } from '../../../../test/outreach.ts'
import { startScrape, until } from '../../../../test/scrapes.ts'
import { ageHandles } from '../../../../test/x-accounts.ts'
import { addOwnApp } from '../../../../test/x-apps.ts'
import { findLostHandles } from '../../../core/people/lost-handles.ts'
import { receive } from '../../../core/replies/receive.ts'
import { leads } from '../../../core/tables/leads.ts'
import { replies } from '../../../core/tables/replies.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { readHandles } from '../../platform/x-account/x-account.ts'

let app: TestApp
let person: Person
let account: { id: string; handle: string }
beforeAll(async () => {
  app = await openApp({ x: true, workers: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  account = await connectX(app, person)
})

/** An id that X does not know. */
const GONE = idOfHandle('missing_id')

async function renameAtX(handle: string, to: string) {
  const response = await fetch(`${app.x.url}/_people/${handle}/rename`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to }),
  })
  expect(response.status).toBe(200)
}
const findAccount = async () => (await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id)))[0]!
const people = async () => {
  const rows = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)
  return rows.map((lead) => [lead.twitterHandle, lead.xUserId, lead.handleLostAt !== null])
}

describe('the handle of our own account', () => {
  it('is read again after a day, and not before', async () => {
    const [renamed] = openHandles(1) as [string]
    await renameAtX(account.handle, renamed)
    await readHandles(app.services)
    expect((await findAccount()).handle).toBe(account.handle)
    await ageHandles(app, { id: account.id }, 25)
    await readHandles(app.services)
    expect((await findAccount()).handle).toBe(renamed)
    expect((await findAccount()).handleReadAt!.getTime()).toBeGreaterThan(Date.now() - 60_000)
  })

  it('is stored when X reports a change, and read again soon', async () => {
    const { xUserId } = await findAccount()
    await receive(app.db, [{ kind: 'handle', userId: xUserId, handle: 'reported', handles: {} }])
    expect(await findAccount()).toMatchObject({ handle: 'reported', handleReadAt: null })
    await readHandles(app.services)
    expect((await findAccount()).handle).toBe(account.handle)
  })

  it('is not changed by an app that did not connect it', async () => {
    const { xUserId } = await findAccount()
    const other = await addOwnApp(app, person)
    await receive(app.db, [{ kind: 'handle', userId: xUserId, handle: 'forged', handles: {} }], other)
    expect((await findAccount()).handle).toBe(account.handle)
  })
})

describe('the handle of a lead', () => {
  it('is learned from the users that X adds to messages', async () => {
    const { xUserId } = await findAccount()
    await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    const message = {
      kind: 'message' as const,
      eventId: `handles ${account.id}`,
      senderId: '1',
      recipientId: xUserId,
      text: 'Hello',
      at: new Date(),
      isEncrypted: false,
      handles: { '1': 'ann_new', [xUserId]: account.handle },
    }
    await receive(app.db, [message])
    expect(await people()).toEqual([['ann_new', '1', false]])
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(1)
  })

  it('does not make a stranger of a wrong id in a file the one who replied', async () => {
    const { xUserId } = await findAccount()
    const file = 'twitter_handle,x_user_id\nann,1\n'
    await person.call('POST', '/leads/import', file, { 'content-type': 'text/csv' })
    const handles = { '1': 'stranger', [xUserId]: account.handle }
    const at = new Date()
    const event = { eventId: `stranger ${account.id}`, senderId: '1', recipientId: xUserId, text: 'Hello', at, handles }
    await receive(app.db, [{ kind: 'message', isEncrypted: false, ...event }])
    expect(await people()).toEqual([['ann', null, false]])
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(0)
  })

  it('is learned from a scrape, also of people whom its filter leaves out', async () => {
    const [handle, renamed] = openHandles(2) as [string, string]
    await makeLeads(app, person, [{ twitterHandle: handle, xUserId: idOfHandle(handle) }])
    await renameAtX(handle, renamed)
    const body = { type: 'handles', handles: [renamed], twitterHandle: undefined, minFollowers: 999_999_999 }
    const id = await startScrape(person, renamed, body)
    await until(app, id, ({ status }) => status === 'completed')
    expect(await people()).toEqual([[renamed, idOfHandle(handle), false]])
  })

  it('is looked up once by the id after another person has taken it', async () => {
    const [handle, renamed, other] = openHandles(3) as [string, string, string]
    await makeLeads(app, person, [
      { twitterHandle: handle, xUserId: idOfHandle(handle) },
      { twitterHandle: 'gone', xUserId: GONE },
    ])
    await renameAtX(handle, renamed)
    await renameAtX(other, handle)
    await makeLeads(app, person, [
      { twitterHandle: handle, xUserId: idOfHandle(other) },
      { twitterHandle: 'gone', xUserId: '2' },
    ])
    expect((await people()).map(([, , isLost]) => isLost)).toEqual([true, true, false, false])
    await findLostHandles(app.services)
    const expected = [
      [renamed, idOfHandle(handle), false],
      ['gone', GONE, true],
    ]
    expect((await people()).slice(0, 2)).toEqual(expected)
    const checked = async () =>
      (await app.db.select().from(leads).where(eq(leads.xUserId, GONE))).map((lead) => lead.xUserCheckedAt)
    const before = await checked()
    await findLostHandles(app.services)
    expect(await checked()).toEqual(before)
  })
})
