import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { watch } from '@x-automated/server/test/opened.ts'
import { startModel } from '@x-automated/stand-ins/model'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundBothWays, importLeads, messagesAtX, openWorld, signUp, type World, writeAs } from '../world.ts'

/** With the operator's model. */
let modelWorld: World
beforeAll(async () => {
  const model = await startModel()
  watch({ check() {}, close: () => model.close() })
  const env = {
    AI_BASE_URL: model.url,
    AI_API_KEY: model.key,
    AI_MODEL: 'stand-in',
    AI_INPUT_CENTS_PER_MILLION: '15',
    AI_OUTPUT_CENTS_PER_MILLION: '60',
  }
  modelWorld = await openWorld(env)
})

const BIOS = { open_w1: 'Writes about small tools for founders', open_w2: 'Changelog nerd and gardener' }
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })

/** Someone on the Agency plan with a list of people who have bios. */
async function enter(world: World, handle: string): Promise<{ page: Page; client: Client }> {
  const email = `${handle}@example.com`
  const signedUp = await signUp(world, email)
  await world.subscribe(email)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: handle, password: 'any eight or more' })
  await importLeads(world, token, [
    'twitter_handle,name,bio',
    ...Object.entries(BIOS).map(([one, bio]) => `${one},Name of ${one},${bio}`),
  ])
  const { id } = await client.lists.create({ name: 'Founders' })
  await client.lists.addLeads({ id, filter: {} })
  const page = await world.openPage()
  await signedUp.enter(page)
  return { page, client }
}

describe('the AI writer, with a model', () => {
  it('rewrites a message with undo, and suggests replies that a person sends', async () => {
    const { page, client } = await enter(modelWorld, 'modeled')
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
    await writeAs(modelWorld.x, 'open_w1', 'modeled', 'How much is it for a team of four?')

    await page.goto('/settings?tab=ai-writer')
    await page.getByText('OpenAI-compatible, with our key').waitFor()
    await button(page, 'Test the model').click()
    await page.getByText(/^stand-in answered in/).waitFor()
    await page.getByLabel('About us').fill('We write onboarding emails. $39 a month.')
    await button(page, 'Save').click()
    await page.getByText('Text saved.').waitFor()
    await expectSoundBothWays(page)

    await page.goto('/campaigns')
    const message = page.getByLabel('Message template')
    await message.fill('Hi {lead_name}, what are you building?')
    await button(page, 'Rewrite').click()
    await button(page, 'Shorter').click()
    await page.getByText('Message rewritten.').waitFor()
    await button(page, 'Undo').click()
    await expect.poll(() => message.inputValue()).toBe('Hi {lead_name}, what are you building?')
    await button(page, 'Write with AI').click()
    await button(page, 'Write three drafts').click()
    await button(page, 'Use this draft 3').click()
    await page.getByText('Message replaced.').waitFor()
    const written = await message.inputValue()
    expect(written).not.toBe('Hi {lead_name}, what are you building?')
    await message.fill('')

    await page.goto('/inbox')
    await page.locator('[data-conversation]').getByRole('link').click()
    await page.getByRole('log').waitFor()
    await button(page, 'Suggest replies').click()
    const suggestions = page.getByRole('region', { name: 'Suggested replies' })
    await expect.poll(() => suggestions.getByRole('button').count()).toBe(3)
    await expectSoundBothWays(page)
    await suggestions.getByRole('button', { name: /^Thanks for your answer/ }).click()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Reply' }).inputValue())
      .toMatch(/^Thanks for your answer/)
    expect((await messagesAtX(modelWorld.x)).filter(({ from }) => from === 'modeled')).toEqual([])
    expect((await client.writer.usage({})).tokens).toBeGreaterThan(0)
  })
})

describe('the AI writer, without a model', () => {
  it('writes a sequence with the built-in writer, and says how to connect a model', async () => {
    const world = await openWorld()
    const { page, client } = await enter(world, 'unmodeled')
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
    await writeAs(world.x, 'open_w1', 'unmodeled', 'How much is it for a team of four?')

    await page.goto('/campaigns')
    await page.getByText('Rewrites and translations need a model.').waitFor()
    await button(page, 'Write a sequence').click()
    await button(page, 'Write three drafts').click()
    await page.getByText('Built-in suggestions', { exact: true }).waitFor()
    await expectSoundBothWays(page)
    await button(page, 'Use this sequence 1').click()
    await page.getByText('Messages replaced.').waitFor()
    await page.getByLabel('Follow-up 2', { exact: true }).waitFor()
    expect(await button(page, 'Rewrite').count()).toBe(0)
    await button(page, 'Launch Campaign').click()
    await page.getByText(/^Campaign "Founders, .*" launched! /).waitFor()

    await page.goto('/inbox')
    await page.locator('[data-conversation]').getByRole('link').click()
    await page.getByText('Suggested replies need a model.').waitFor()
    expect(await button(page, 'Suggest replies').count()).toBe(0)
    await page.getByRole('link', { name: 'Connect a model', exact: true }).click()
    await page.getByText('No model is connected.').waitFor()
    await expectSoundBothWays(page)
  })
})
