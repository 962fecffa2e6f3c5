import { randomUUID } from 'node:crypto'
import type { Draft, DraftsDone } from '@x-automated/contract/outreach/writer'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { messaged, say } from '../../../../test/conversations.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { openSenders } from '../../../../test/outreach.ts'
import { markText } from './data.ts'
import { writeDrafts } from './drafts.ts'
import { writerProviders, writerUsage } from './tables.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ model: true, x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
})

const { connected } = openSenders(() => app)

const KEY_ENDING = '-key'

/** Configures the workspace's own model. */
const useModel = (model: string, more: object = {}, by = person) =>
  by.call('PUT', '/writer/provider', {
    kind: 'openai_compatible',
    baseUrl: app.model.url,
    apiKey: app.model.key,
    model,
    ...more,
  })

/** Calls POST /writer/drafts. @returns its events, or the refusal */
async function draft(body: object, by = person) {
  const response = await by.call('POST', '/writer/drafts', body)
  if (response.status !== 200)
    return { status: response.status, code: response.body.code as string, drafts: [], done: null }
  const events = String(response.body)
    .split('\n\n')
    .flatMap((event) => {
      const [, name = '', data = 'null'] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
      return name ? [{ name, data: JSON.parse(data) }] : []
    })
  return {
    status: 200,
    code: events.find(({ name }) => name === 'error')?.data.code as string | undefined,
    drafts: events.filter(({ name }) => name === 'draft').map(({ data }) => data as Draft),
    done: (events.find(({ name }) => name === 'done')?.data ?? null) as DraftsDone | null,
  }
}

const usedOf = async (by = person) =>
  (await app.db.select().from(writerUsage).where(eq(writerUsage.workspaceId, by.workspaceId))).map(
    ({ payer, tokens, microcents }) => ({ payer, tokens, microcents }),
  )

describe('a model of the workspace', () => {
  it('is stored without its key, which is never returned', async () => {
    const saved = await useModel('stand-in', { inputCentsPerMillion: 10, outputCentsPerMillion: 20, budgetCents: 500 })
    expect([saved.status, saved.body]).toMatchObject([
      200,
      { model: 'stand-in', from: 'workspace', keyEnding: KEY_ENDING },
    ])
    const read = await person.call('GET', '/writer/provider')
    expect(read.body).toEqual(saved.body)
    expect(JSON.stringify([saved.body, read.body])).not.toContain(app.model.key)
    const [row] = await app.db.select().from(writerProviders).where(eq(writerProviders.workspaceId, person.workspaceId))
    expect(JSON.stringify(row)).not.toContain(app.model.key)
    const member = await makePerson(app, { in: person, role: 'member' })
    expect((await member.call('GET', '/writer/provider')).body).toEqual({
      kind: 'openai_compatible',
      model: 'stand-in',
      from: 'workspace',
    })
    expect((await useModel('x', {}, member)).status).toBe(403)
  })

  it('keeps its key, but not for another address or provider', async () => {
    await useModel('stand-in')
    expect((await useModel('stand-in-500', { apiKey: undefined })).body).toMatchObject({ keyEnding: KEY_ENDING })
    for (const other of [{ baseUrl: 'https://evil.example/v1' }, { kind: 'openai', baseUrl: null }])
      expect((await useModel('stand-in', { ...other, apiKey: undefined })).body.details).toMatchObject([
        { field: 'apiKey' },
      ])
  })

  it.each([
    'http://10.0.0.1/v1',
    'http://169.254.169.254/',
    'ftp://a.example',
    'nonsense',
    'https://user:secret@a.example',
    'https://a.example/v1?',
    'https://a.example/v1#key',
  ])('returns 400 for the address %s', async (baseUrl) => {
    expect((await useModel('x', { baseUrl })).body).toMatchObject({ code: 'INVALID_INPUT' })
    expect((await person.call('GET', '/writer/provider')).body).toMatchObject({ from: 'operator' })
  })

  it('has two prices, or none', async () => {
    for (const [price, missing] of [
      ['inputCentsPerMillion', 'outputCentsPerMillion'],
      ['outputCentsPerMillion', 'inputCentsPerMillion'],
    ] as const)
      expect((await useModel('x', { [price]: 15 })).body.details).toEqual([
        { field: missing, problem: 'Enter both prices, or none.' },
      ])
  })

  it('shows little of a short key, and takes none that no request can carry', async () => {
    expect((await useModel('stand-in', { apiKey: 'abcdef' })).body.keyEnding).toBe('ef')
    expect((await useModel('stand-in', { apiKey: 'ab' })).body.keyEnding).toBe('')
    for (const apiKey of ['\u043a\u043b\u044e\u0447', 'a\nb', 'a b'])
      expect((await useModel('stand-in', { apiKey })).body.details).toMatchObject([{ field: 'apiKey' }])
  })

  it('is removed, after which the operator\u2019s is used', async () => {
    await useModel('stand-in')
    expect((await person.call('DELETE', '/writer/provider')).status).toBe(204)
    expect((await person.call('GET', '/writer/provider')).body).toMatchObject({
      from: 'operator',
      baseUrl: null,
      keyEnding: null,
    })
  })

  it('is called once for a test, which says what is wrong', async () => {
    await useModel('stand-in')
    expect((await person.call('POST', '/writer/provider/test')).body).toEqual({
      success: true,
      milliseconds: expect.any(Number),
      model: 'stand-in',
    })
    await useModel('stand-in', { apiKey: 'wrong' })
    expect((await person.call('POST', '/writer/provider/test')).body).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      error: 'The provider refused the API key.',
      details: { fault: 'key_refused' },
    })
  })
})

describe('drafts', () => {
  it('come from the model one by one, and count', async () => {
    const { drafts, done } = await draft({ kind: 'message', goal: 'Book a call' })
    expect(drafts).toHaveLength(3)
    expect(done).toMatchObject({ drafts, source: 'model', fault: null })
    expect(done?.usage.tokens).toBeGreaterThan(0)
    expect(await usedOf()).toEqual([{ payer: 'operator', tokens: done?.usage.tokens, microcents: expect.any(Number) }])
    const { body } = await person.call('GET', '/writer/usage')
    expect(body).toMatchObject({ tokens: done?.usage.tokens, limitCents: 100, limitTokens: null })
    expect(body.members).toEqual([{ id: person.id, name: expect.any(String), tokens: body.tokens, cents: body.cents }])
  })

  it('of a sequence have steps with delays, and those of a rewrite one text', async () => {
    const sequence = await draft({ kind: 'sequence' })
    expect(sequence.drafts).toHaveLength(3)
    expect(sequence.drafts[0]).toMatchObject({ steps: [{}, { delay: { unit: 'days' } }, { delay: { unit: 'days' } }] })
    const rewrite = await draft({ kind: 'rewrite', text: 'Hello there, my friend.', instruction: 'shorter' })
    expect([rewrite.drafts.length, rewrite.done?.source]).toEqual([1, 'model'])
  })

  it.each([
    ['stand-in-429', 'rate_limited'],
    ['stand-in-500', 'provider_error'],
    ['stand-in-malformed', 'malformed'],
    ['stand-in-refusal', 'refused'],
    ['stand-in-language', 'other_language'],
    ['stand-in-long', 'too_long'],
  ])('of %s come from the built-in writer, and a rewrite says why there is none', async (model, fault) => {
    await useModel(model)
    const { done } = await draft({ kind: 'message' })
    expect(done).toMatchObject({ source: 'built_in', fault })
    expect(done?.drafts).toHaveLength(3)
    const rewrite = await draft({
      kind: 'rewrite',
      text: 'We are a small team that builds a tool for people who write every day. Would you like to have a look at it with me?',
      instruction: 'shorter',
    })
    // The stand-in rewrites in German only.
    expect(rewrite.code).toBe('MODEL_UNAVAILABLE')
    const short = { kind: 'rewrite', text: 'Hi {lead_name}, what are you building these days?', instruction: 'shorter' }
    expect((await draft(short)).code).toBe('MODEL_UNAVAILABLE')
  })

  it.each([0, 11])(
    'of a sequence of %i messages, which no campaign can have, come from the built-in writer',
    async (count) => {
      await useModel('stand-in')
      const models = {
        async *stream() {
          yield { steps: Array.from({ length: count }, () => ({ text: 'Hi', factsUsed: [] })) } as never
          return { input: 1, output: 1 }
        },
      }
      const drafts = writeDrafts({ ...app.services, db: app.db, models }, person.actor, { kind: 'sequence' })
      let next = await drafts.next()
      while (!next.done) next = await drafts.next()
      expect(next.value).toMatchObject({ source: 'built_in', fault: 'unusable' })
    },
  )

  it('of a model that does not answer in time come from the built-in writer', async () => {
    const slow = await openApp({ model: true, env: { AI_MODEL: 'stand-in-slow', AI_TIMEOUT_SECONDS: '1' } })
    const { done } = await draft({ kind: 'message' }, await makePerson(slow))
    expect(done).toMatchObject({ source: 'built_in', fault: 'timeout' })
  })

  it('free their places and end their calls once their clients are gone', async () => {
    await useModel('stand-in-slow')
    app.model.calls.length = 0
    const controller = new AbortController()
    const request = {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'message' }),
      signal: controller.signal,
    }
    const waiting = [1, 2, 3].map(() => fetch(`${app.url}/writer/drafts`, request).catch(() => {}))
    await expect.poll(() => app.model.calls.length).toBe(3)
    await useModel('stand-in')
    expect(await draft({ kind: 'message' })).toMatchObject({ status: 429 })
    controller.abort()
    await Promise.all(waiting)
    await expect.poll(async () => (await draft({ kind: 'message' })).done?.source, { timeout: 20_000 }).toBe('model')
  })

  it('of a server that cannot be reached come from the built-in writer', async () => {
    await useModel('stand-in', { baseUrl: 'http://127.0.0.1:1/v1' })
    expect((await draft({ kind: 'message' })).done).toMatchObject({ source: 'built_in', fault: 'unreachable' })
  })

  it('of a stream that is cut are those that arrived', async () => {
    await useModel('stand-in-cut')
    const { done } = await draft({ kind: 'message' })
    expect(done).toMatchObject({ source: 'model', fault: 'cut_off' })
    // The second call wrote the same text again.
    expect(done?.drafts).toHaveLength(1)
  })

  it('come from a server that refuses the schema', async () => {
    await useModel('stand-in-schemaless')
    expect((await draft({ kind: 'message' })).done).toMatchObject({ source: 'model', fault: null })
  })

  it('cost nothing if the provider refused the call, and the maximum if it does not say what it used', async () => {
    await useModel('stand-in-500', { inputCentsPerMillion: 10, outputCentsPerMillion: 20 })
    await draft({ kind: 'message' })
    expect(await usedOf()).toEqual([{ payer: 'workspace', tokens: 0, microcents: 0 }])
    await useModel('stand-in-cut')
    await draft({ kind: 'message' })
    // Each of the two calls may return 1,600 tokens.
    expect((await usedOf())[0]?.tokens).toBeGreaterThan(3_200)
  })

  it('come from the built-in writer once the budget is used up, and rewrites are refused', async () => {
    await useModel('stand-in', { budgetTokens: 10 })
    expect((await draft({ kind: 'message' })).done).toMatchObject({ source: 'built_in', fault: 'budget' })
    const refused = await person.call('POST', '/writer/drafts', { kind: 'rewrite', text: 'x', instruction: 'shorter' })
    expect([refused.status, refused.body]).toMatchObject([
      403,
      {
        code: 'BUDGET_EXCEEDED',
        details: { limitTokens: 10, usedTokens: 0, limitCents: null, resetsAt: expect.any(String) },
      },
    ])
    expect(await usedOf()).toEqual([])
    await useModel('stand-in', { budgetCents: 0, inputCentsPerMillion: 10, outputCentsPerMillion: 20 })
    expect((await draft({ kind: 'message' })).done).toMatchObject({ source: 'built_in', fault: 'no_budget' })
  })

  it('of an answer stream from a conversation, whose texts reach the model as data', async () => {
    const { person: owner, account } = await connected()
    const { handles, campaign } = await messaged(app, owner, 1)
    await say(app, handles[0]!, account.handle, 'What does it cost for a team of four? Please send me the link')
    const [conversation] = (await owner.client.conversations.list({})).conversations
    app.model.calls.length = 0
    const { drafts, done } = await draft({ kind: 'reply', conversationId: conversation!.id }, owner)
    expect(drafts).toEqual([
      { text: expect.stringMatching(/^Thanks for your answer/), factsUsed: [] },
      { text: expect.stringMatching(/^Good to hear/), factsUsed: [] },
    ])
    expect(done).toMatchObject({ drafts, source: 'model', fault: null })
    const [system, task] = app.model.calls[0]!.messages
    expect(system!.content).not.toContain('team')
    expect(task!.content).not.toContain('What does it cost')
    expect(task!.content).toContain(markText('What does it cost for a team of four? Please send me the link'))
    expect(task!.content).toContain(campaign.messageTemplate)
    // Our message contains names, so it is marked, too.
    const { messages } = await owner.client.conversations.find({ id: conversation!.id })
    expect(task!.content).toContain(markText(messages.find(({ isOurs }) => isOurs)?.text ?? ''))
    expect((await owner.client.conversations.find({ id: conversation!.id })).messages).toHaveLength(2)
    expect(await draft({ kind: 'reply', conversationId: conversation!.id })).toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    })
  })

  it('of an answer do not rest on a message that failed', async () => {
    const { person: owner, account } = await connected()
    const { handles, leadIds } = await messaged(app, owner, 1)
    await say(app, handles[0]!, account.handle, 'What does it cost?')
    const [conversation] = (await owner.client.conversations.list({})).conversations
    await markFailed(app, { leadId: leadIds[0]! }, { sentAt: null, triedAt: new Date(), message: 'Nobody read this.' })
    expect((await owner.client.conversations.find({ id: conversation!.id })).messages).toHaveLength(2)
    app.model.calls.length = 0
    await draft({ kind: 'reply', conversationId: conversation!.id }, owner)
    expect(app.model.calls[0]!.messages[1]!.content).not.toContain(markText('Nobody read this.'))
  })

  it('return 404 for another workspace\u2019s conversation, 400 for an incomplete body, and 403 to viewers', async () => {
    expect(await draft({ kind: 'reply', conversationId: randomUUID() })).toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    })
    for (const body of [{}, { kind: 'x' }, { kind: 'rewrite' }, { kind: 'reply' }, { kind: 'message', surprise: 1 }])
      expect(await draft(body)).toMatchObject({ status: 400 })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await draft({ kind: 'message' }, viewer)).toMatchObject({ status: 403 })
    expect((await fetch(`${app.url}/writer/drafts`, { method: 'POST' })).status).toBe(401)
  })
})

describe('without a model', () => {
  it('drafts come from the built-in writer, and what needs a model says so', async () => {
    const bare = await openApp({ env: { AI_MODEL: '' } })
    const someone = await makePerson(bare)
    expect((await someone.call('GET', '/writer/provider')).body).toBeNull()
    expect((await draft({ kind: 'message' }, someone)).done).toMatchObject({ source: 'built_in', fault: null })
    expect(await draft({ kind: 'rewrite', text: 'x', instruction: 'shorter' }, someone)).toMatchObject({
      status: 409,
      code: 'MODEL_NOT_CONFIGURED',
    })
    expect((await someone.call('POST', '/writer/provider/test')).body.code).toBe('MODEL_NOT_CONFIGURED')
  })
})

describe('the text about the workspace', () => {
  it('is changed by admins and read by members, and reaches the model', async () => {
    expect(await person.client.writer.about()).toEqual({ text: '' })
    await person.client.writer.saveAbout({ text: 'We make tiny tools.' })
    const member = await makePerson(app, { in: person, role: 'member' })
    expect(await member.client.writer.about()).toEqual({ text: 'We make tiny tools.' })
    expect((await member.call('PUT', '/writer/about', { text: 'x' })).status).toBe(403)
    expect((await person.call('PUT', '/writer/about', { text: 'x'.repeat(4_001) })).status).toBe(400)
    app.model.calls.length = 0
    await draft({ kind: 'message' })
    expect(JSON.stringify(app.model.calls)).toContain('We make tiny tools.')
  })
})

describe('usage', () => {
  it('shows members below admin their own row only', async () => {
    const member = await makePerson(app, { in: person, role: 'member' })
    await draft({ kind: 'message' })
    await draft({ kind: 'message' }, member)
    expect((await person.call('GET', '/writer/usage')).body.members).toHaveLength(2)
    expect((await member.call('GET', '/writer/usage')).body.members).toMatchObject([{ id: member.id }])
    expect((await person.call('GET', '/writer/usage?month=2020-01')).body).toMatchObject({
      month: '2020-01',
      tokens: 0,
      members: [],
    })
    expect((await person.call('GET', '/writer/usage?month=2020-13')).status).toBe(400)
  })
})

describe('lint', () => {
  it('finds problems, and returns 404 for an unknown campaign', async () => {
    const { problems } = await person.client.writer.lint({ text: 'See https://a.example' })
    expect(problems.map(({ code }) => code)).toEqual(['no_question', 'link'])
    expect((await person.call('POST', '/writer/lint', { text: 'x', campaignId: randomUUID() })).body.code).toBe(
      'CAMPAIGN_NOT_FOUND',
    )
  })
})
