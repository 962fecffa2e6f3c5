import { eq } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { classify, messaged, say } from '../../../../test/conversations.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { relabelReply } from '../../../core/conversations/changes.ts'
import { conversations } from '../../../core/tables/conversations.ts'
import { giveSecondOpinions } from './opinions.ts'
import { writerUsage } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, model: true })
})

const run = () => giveSecondOpinions({ ...app.services, db: app.db, relabelReply })

/** Creates a workspace with a reply that the classifier is unsure about, and with its own model if one is given. */
async function withUnsureReply(model?: object): Promise<{ person: Person; stored: () => Promise<unknown> }> {
  const person = await makePerson(app)
  await subscribe(app, person)
  const account = await connectX(app, person)
  const { handles } = await messaged(app, person)
  await say(app, handles[0]!, account.handle, 'ok then')
  await classify(app, { workspaceId: person.workspaceId }, 'later', 0.4)
  if (model)
    await person.call('PUT', '/writer/provider', {
      ...{ kind: 'openai_compatible', baseUrl: app.model.url, apiKey: app.model.key, model: 'stand-in' },
      ...model,
    })
  const stored = async () =>
    (await app.db.select().from(conversations).where(eq(conversations.workspaceId, person.workspaceId)))[0]
  return { person, stored }
}

it('labels an unsure reply with the workspace\u2019s model, and asks once', async () => {
  const { person, stored } = await withUnsureReply({})
  app.model.calls.length = 0
  await run()
  expect(await stored()).toMatchObject({ label: 'interested', confidence: null })
  const [used] = await app.db.select().from(writerUsage).where(eq(writerUsage.workspaceId, person.workspaceId))
  expect(used).toMatchObject({ payer: 'workspace', tokens: expect.any(Number) })
  await run()
  expect(app.model.calls).toHaveLength(1)
})

it('asks again once a provider that failed answers', async () => {
  const { person, stored } = await withUnsureReply({ model: 'stand-in-500' })
  await run()
  expect(await stored()).toMatchObject({ label: 'later' })
  const { url: baseUrl, key: apiKey } = app.model
  await person.call('PUT', '/writer/provider', { kind: 'openai_compatible', baseUrl, apiKey, model: 'stand-in' })
  await run()
  expect(await stored()).toMatchObject({ label: 'interested' })
})

it.each([
  ['a model of its own', undefined],
  ['budget', { budgetTokens: 1 }],
  ['a model that answers', { model: 'stand-in-500' }],
])('keeps the label of a workspace without %s', async (_, model) => {
  const { stored } = await withUnsureReply(model)
  await run()
  expect(await stored()).toMatchObject({ label: 'later', confidence: expect.closeTo(0.4) })
})
