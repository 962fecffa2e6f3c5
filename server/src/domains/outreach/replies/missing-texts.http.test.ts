import { REPLY_TEXT_MAX } from '@x-automated/contract/outreach/replies'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { makePerson } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeList, openHandles, openSenders } from '../../../../test/outreach.ts'
import { ageReplies, repeatReplies } from '../../../../test/replies.ts'
import { readBack } from '../../../core/replies/missing-texts.ts'
import { receive } from '../../../core/replies/receive.ts'
import { leads } from '../../../core/tables/leads.ts'
import { replies } from '../../../core/tables/replies.ts'
import { XError } from '../../../outside/x-errors.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
const { connected } = openSenders(() => app)

/** Leads who wrote to an account whose owner has not decided about conversations. @param texts one per lead */
async function scene(texts: readonly string[]) {
  const { person, account } = await connected({ consents: false })
  const { handles, leadIds } = await makeList(app, person, openHandles(texts.length))
  const write = async (index: number, text: string) => {
    const [from, to] = [handles[index]!, account.handle]
    const response = await fetch(`${app.x.url}/_people/${from}/reply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // The stand-in takes no message without a text, as a picture is.
      body: JSON.stringify({ to, text: text || 'a picture' }),
    })
    const { id: eventId, at } = (await response.json()) as { id: string; at: string }
    const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
    const names = { [senderId]: from, [recipientId]: to }
    const message = { eventId, at: new Date(at), senderId, recipientId, text, isEncrypted: false, handles: names }
    await receive(app.db, [{ kind: 'message', ...message }])
  }
  for (const [index, text] of texts.entries()) await write(index, text)
  const decide = (storesConversations: boolean, readsBack?: boolean) =>
    person.client.xAccount.consent({ id: account.id, storesConversations, offersUnknownSenders: false, readsBack })
  const textOf = async (index: number) => {
    const { events } = await person.client.leads.history({ id: leadIds[index]! })
    return events.flatMap((event) => (event.kind === 'replied' ? [event.text] : []))
  }
  return {
    person,
    account,
    leadIds,
    write,
    decide,
    textOf,
    missing: () => person.client.xAccount.missingTexts({ id: account.id }),
  }
}

type Job = Parameters<typeof readBack>[1]
type ListMessages = NonNullable<TestApp['services']['x']>['listMessages']
const newJob = (accountId: string): Job => ({
  accountId,
  until: new Date().toISOString(),
  before: null,
  left: 1_000,
  failures: 0,
})
/** Runs the job until nothing is left to read, or until X refuses a call. @returns the scheduled jobs */
async function runJob(of: string | Job, listMessages?: ListMessages) {
  const scheduled: (Job & { startAfterSeconds: number })[] = []
  const jobs = {
    ...app.services.jobs,
    enqueue: async (_: unknown, name: string, job: Job, options: { startAfterSeconds: number }) => {
      if (name === 'read-back') scheduled.push({ ...job, ...options })
    },
  }
  const x = { ...app.services.x, ...(listMessages && { listMessages }) }
  await readBack({ ...app.services, x, jobs } as never, typeof of === 'string' ? newJob(of) : of)
  return scheduled
}

it('counts what is missing and the most that reading it costs, then reads it after a yes', async () => {
  const { person, account, write, decide, textOf, missing } = await scene(['Hello', 'What does it cost?'])
  await write(0, 'Are you there?')
  expect(await missing()).toEqual({ messages: 3, conversations: 2, costCents: 3 })
  expect((await person.client.today.find({})).needs).toMatchObject([
    { code: 'consent_missing', params: { handle: account.handle }, path: `/twitter?consent=${account.id}` },
  ])
  await decide(true, true)
  expect(await runJob(account.id)).toEqual([])
  expect([await textOf(0), await textOf(1)]).toEqual([['Are you there?', 'Hello'], ['What does it cost?']])
  expect(await missing()).toEqual({ messages: 0, conversations: 0, costCents: 0 })
  expect((await person.client.today.find({})).needs).toEqual([])
})

it('leaves out texts that a person deleted, and what X no longer has', async () => {
  const { person, account, write, decide, textOf, missing } = await scene(['Hello'])
  await decide(true)
  await write(0, 'Call me at home')
  const [secret] = await app.db.select().from(replies).where(eq(replies.text, 'Call me at home'))
  await person.client.replies.removeText({ id: secret!.id })
  expect((await person.client.conversations.list({})).conversations[0]?.lastMessage.text).toBeNull()
  await decide(false)
  expect(await missing()).toMatchObject({ messages: 1 })
  await ageReplies(app, and(eq(replies.workspaceId, person.workspaceId), isNull(replies.text))!, 31)
  expect(await missing()).toMatchObject({ messages: 0 })
  await decide(true, true)
  await runJob(account.id)
  expect(await textOf(0)).toEqual([null, null])
})

it('reads nothing without a yes, and stores nothing after it was revoked', async () => {
  const { account, decide, textOf } = await scene(['Hello'])
  await runJob(account.id)
  await decide(true)
  const x = app.services.x!
  await runJob(account.id, async (...args) => {
    await decide(false)
    return x.listMessages(...args)
  })
  expect(await textOf(0)).toEqual([null])
})

it('asks X for nothing more after a revocation', async () => {
  const { account, decide } = await scene(['First', 'Second'])
  await decide(true)
  const x = app.services.x!
  let calls = 0
  const scheduled = await runJob(account.id, async (...args) => {
    calls += 1
    await decide(false)
    return x.listMessages(...args)
  })
  expect([calls, scheduled]).toEqual([1, []])
})

it.each([
  ['503', new XError('unknown', 'X is having trouble.')],
  ['a time-out', new XError('unknown', 'X did not respond in time.')],
  ['a page of something in front of X', new XError('unknown', 'No', null, { isUnreadable: true })],
])('after %s it reads the same conversation later, and skips it after 8 failures', async (_, error) => {
  const { account, leadIds, decide, textOf } = await scene(['First', 'Second'])
  await decide(true)
  const x = app.services.x!
  const failing: ListMessages = async (...args) => {
    if (args[1] === (await xIdOf(leadIds[1]!))) throw error
    return x.listMessages(...args)
  }
  let [job] = await runJob(account.id, failing)
  expect(job).toMatchObject({ before: null, failures: 1, startAfterSeconds: 900 })
  for (let failures = 2; failures < 8; failures += 1) {
    ;[job] = await runJob(job!, failing)
    expect(job).toMatchObject({ before: null, failures })
  }
  expect(await runJob(job!, failing)).toEqual([])
  expect([await textOf(0), await textOf(1)]).toEqual([['First'], [null]])
})

it('stores a text that is cut within a character, or contains NUL', async () => {
  const { account, decide, textOf } = await scene(['Hello'])
  await decide(true)
  const x = app.services.x!
  await runJob(account.id, async (...args) => {
    const { messages, ...page } = await x.listMessages(...args)
    const text = `\u0000${'a'.repeat(REPLY_TEXT_MAX - 2)}😀`
    return { ...page, messages: messages.map((message) => ({ ...message, text })) }
  })
  expect(await textOf(0)).toEqual([`${'a'.repeat(REPLY_TEXT_MAX - 2)}\ufffd`])
})

it('reads and prices no message that arrives after it started', async () => {
  const { account, write, decide, textOf } = await scene(['Hello'])
  const job = newJob(account.id)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await write(0, 'Later')
  await decide(true)
  const sizes: number[] = []
  const x = app.services.x!
  await runJob(job, async (...args) => {
    sizes.push(args[2].size)
    return { ...(await x.listMessages(...args)), messages: [] }
  })
  expect([sizes, await textOf(0)]).toEqual([[1], [null, null]])
})

it('counts at most the texts of one page per conversation', async () => {
  const { leadIds, missing } = await scene(['Hello'])
  await repeatReplies(app, eq(replies.leadId, leadIds[0]!), 120)
  expect(await missing()).toEqual({ messages: 100, conversations: 1, costCents: 100 })
})

it('shows a message without a text, such as a picture, as an empty one, also after reading it', async () => {
  const { person, decide, textOf, write, missing, account } = await scene(['Hello'])
  const lastText = async () => (await person.client.conversations.list({})).conversations[0]?.lastMessage.text
  const x = app.services.x!
  await decide(true)
  await runJob(account.id, async (...args) => {
    const { messages, ...page } = await x.listMessages(...args)
    return { ...page, messages: messages.map((message) => ({ ...message, text: '' })) }
  })
  expect([await textOf(0), await lastText(), (await missing()).messages]).toEqual([[''], '', 0])
  await write(0, '')
  expect([await textOf(0), await lastText()]).toEqual([['', ''], ''])
})

it('starts from the beginning after a new consent, also if a job waits', async () => {
  const { account, decide } = await scene(['Hello'])
  const waiting = async () =>
    (
      await app.db.execute<{ data: Job; group: string; isDue: boolean }>(sql`
        select data, group_id as group, start_after <= now() as "isDue" from pgboss.job
        where name = 'read-back' and state = 'created' and singleton_key = ${account.id}`)
    ).rows
  await decide(true)
  const job = { ...newJob(account.id), before: { at: new Date().toISOString(), leadId: account.id } }
  const later = { startAfterSeconds: 900, key: account.id, group: account.id }
  await app.services.jobs.enqueue(app.db, 'read-back', job, later)
  expect(await waiting()).toMatchObject([{ data: job, group: account.id, isDue: false }])
  await decide(false)
  await decide(true, true)
  expect(await waiting()).toMatchObject([{ data: { before: null }, group: account.id, isDue: true }])
  await app.services.jobs.enqueue(app.db, 'read-back', job, later)
  expect(await waiting()).toMatchObject([{ data: { before: null }, isDue: true }])
})

it('continues where X refused, and skips a conversation that X does not show', async () => {
  const { account, leadIds, decide, textOf } = await scene(['First', 'Second', 'Third'])
  await decide(true)
  const x = app.services.x!
  const refused = new XError('rate-limit', 'Slow down', new Date(Date.now() + 20 * 60_000))
  const hidden = new XError('forbidden', 'No')
  const [scheduled] = await runJob(account.id, async (...args) => {
    if (args[1] === (await xIdOf(leadIds[2]!))) throw hidden
    if (args[1] === (await xIdOf(leadIds[0]!))) throw refused
    return x.listMessages(...args)
  })
  expect([await textOf(0), await textOf(1), await textOf(2)]).toEqual([[null], ['Second'], [null]])
  expect(scheduled).toMatchObject({ accountId: account.id, before: { leadId: leadIds[1] } })
  expect(scheduled!.startAfterSeconds).toBeGreaterThan(19 * 60)
})

it('reads ten conversations at a time', async () => {
  const { account, decide, missing } = await scene(Array.from({ length: 11 }, (_, index) => `Hello ${index}`))
  await decide(true)
  expect(await runJob(account.id)).toMatchObject([{ startAfterSeconds: 900 }])
  expect(await missing()).toMatchObject({ messages: 1 })
})

it('GET /x-accounts/{id}/missing-texts is for members of the workspace', async () => {
  const { person, account } = await scene([])
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  const path = `/x-accounts/${account.id}/missing-texts`
  expect((await viewer.call('GET', path)).status).toBe(403)
  const { status, body } = await (await makePerson(app)).call('GET', path)
  expect([status, body.code]).toEqual([404, 'X_ACCOUNT_NOT_FOUND'])
})

async function xIdOf(leadId: string): Promise<string | null> {
  const [lead] = await app.db.select().from(leads).where(eq(leads.id, leadId))
  return lead!.xUserId
}
