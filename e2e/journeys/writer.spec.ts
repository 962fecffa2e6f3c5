import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { watch } from '@x-automated/server/test/opened.ts'
import { startModel } from '@x-automated/stand-ins/model'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  importLeads,
  messagesAtX,
  openWorld,
  signUp,
  type World,
  writeAs,
} from '../world.ts'

/** The world without a model. */
let world: World
/** The world with the operator's model. */
let modelWorld: World
let model: Awaited<ReturnType<typeof startModel>>
beforeAll(async () => {
  model = await startModel()
  watch({ check() {}, close: () => model.close() })
  const env = {
    AI_BASE_URL: model.url,
    AI_API_KEY: model.key,
    AI_MODEL: 'stand-in',
    AI_INPUT_CENTS_PER_MILLION: '15',
    AI_OUTPUT_CENTS_PER_MILLION: '60',
  }
  ;[world, modelWorld] = await Promise.all([openWorld(), openWorld(env)])
})

const BIOS = { open_w1: 'Writes about small tools for founders', open_w2: 'Changelog nerd and gardener' }
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
/** Whether an element of the page has the focus, rather than its body or the whole content. */
const hasFocus = (page: Page) => page.evaluate(() => !document.activeElement?.matches('body, main'))

/** Creates a user on the Agency plan with a list of people who have bios. */
async function enter(world: World, handle: string): Promise<{ page: Page; client: Client }> {
  const email = `${handle}@example.com`
  const signedUp = await signUp(world, email)
  await world.subscribe(email)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: handle, password: 'any eight or more' })
  await importLeads(world, token, [
    'twitter_handle,name,bio',
    ...Object.entries(BIOS).map(([handle, bio]) => `${handle},Name of ${handle},${bio}`),
  ])
  const { id } = await client.lists.create({ name: 'Founders' })
  await client.lists.addLeads({ id, filter: {} })
  const page = await world.openPage()
  await signedUp.enter(page)
  return { page, client }
}

describe('the AI writer, without a model', () => {
  it('drafts three messages, writes openers for approval, and sends what was approved', async () => {
    const { page, client } = await enter(world, 'writer')
    await page.goto('/campaigns')
    await expect.poll(() => page.getByLabel('Campaign Name').inputValue()).toMatch(/^Founders, /)
    await page.getByLabel('Campaign Name').fill('Drafted')
    await button(page, 'Write a sequence').click()
    const sheet = page.getByRole('dialog', { name: 'Write a sequence' })
    await sheet.getByLabel('Goal').selectOption('Ask for feedback')
    await sheet.getByLabel('Audience (optional)').fill('founders')
    await button(page, 'Write three drafts').click()
    await sheet.getByText('Built-in suggestions', { exact: true }).waitFor()
    await sheet.getByText('The built-in writer offers six goals, in English only.').waitFor()
    await expectSoundBothWays(page)
    await button(page, 'Use this sequence 1').click()
    await page.getByText('Messages replaced.').waitFor()
    const messages = page.getByRole('textbox').and(page.locator('textarea'))
    await expect.poll(() => messages.count()).toBe(3)
    const first = page.getByLabel('Message template')
    const drafted = await first.inputValue()
    expect(drafted).toContain('founders')
    // Rewriting requires a model.
    await button(page, 'AI').first().click()
    await page.getByText('Rewrites and translations need a model.').waitFor()
    expect(await button(page, 'Shorter').count()).toBe(0)
    await page.keyboard.press('Escape')
    await first.fill('Hi {lead_name}. {ai_opener|I like your work.} Try https://example.com')
    await button(page, /^Links in a first message/).click()
    expect(
      await first.evaluate((box: HTMLTextAreaElement) => box.value.slice(box.selectionStart, box.selectionEnd)),
    ).toBe('https://example.com')
    await first.fill('Hi {lead_name}. {ai_opener|I like your work.} May I ask you something?')
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "Drafted" saved and paused!').waitFor()

    await page.getByRole('link', { name: 'Drafted', exact: true }).click()
    await page.getByRole('link', { name: 'Write openers' }).click()
    await button(page, 'Write 2 built-in suggestions').click()
    await page.getByText('2 openers written.').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    // Another tab shows the job, too.
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByText('2 openers written.').waitFor()
    await tab.close()
    const openers = page.getByRole('table', { name: 'Openers' })
    await openers.getByText(BIOS.open_w1).last().waitFor()
    await expectSoundBothWays(page)
    // Approving a row approves the text that it shows, not a newer one.
    const approval = page.waitForResponse('**/openers/approve')
    await button(page, 'Approve the opener for Name of open_w1').click()
    expect(await (await approval).json()).toMatchObject({ approved: 1, changed: [] })
    await button(page, 'Withdraw the approval for Name of open_w1').click()
    // An opener that is filtered out once approved no longer counts as waiting.
    await page.getByLabel('Status').selectOption({ label: 'Waiting for approval' })
    await button(page, 'Edit the opener for Name of open_w2').click()
    // Someone else edits the opener in the meantime.
    const [written] = (await client.campaigns.list({})).campaigns
    const [, second] = (await client.openers.list({ id: written?.id ?? '' })).openers
    await client.openers.update({ id: second?.id ?? '', text: 'Nice changelog.' })
    await page.getByText('Someone else has changed this opener: “Nice changelog.” Saving replaces it.').waitFor()
    await page.getByLabel('Opener for Name of open_w2').fill('Changelog nerds are rare.')
    await button(page, 'Save and approve').click()
    await button(page, 'Approve all 1').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    await button(page, 'Approve all 1').click()
    await page.getByText('Approved 1 opener.', { exact: true }).waitFor()
    await page.getByText('No openers with this status').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    await page.getByLabel('Status').selectOption({ label: 'All openers' })
    await openers.getByText('Changelog nerds are rare.').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)
    await page.setViewportSize({ width: 1280, height: 900 })

    await page.getByRole('link', { name: 'Drafted', exact: true }).click()
    await page.getByText('2 approved.').waitFor()
    await button(page, 'Resume').click()
    const sent = async () => (await messagesAtX(world.x)).filter(({ from }) => from === 'writer')
    await expect.poll(async () => (await sent()).length, { timeout: 120_000 }).toBe(2)
    const texts = (await sent()).map(({ text }) => text).sort()
    expect(texts[0]).toMatch(/^Hi Name of open_w1\. .*(Writes about small tools for founders).* May I ask/)
    expect(texts[1]).toBe('Hi Name of open_w2. Changelog nerds are rare. May I ask you something?')
    expect((await client.writer.usage({})).tokens).toBe(0)
    await page.getByRole('link', { name: 'View openers' }).click()
    const [campaign] = (await client.campaigns.list({})).campaigns
    await client.campaigns.update({ id: campaign?.id ?? '', status: 'archived' })
    await page.getByText('This campaign is archived, so its openers no longer change.').waitFor()

    // Only models suggest replies.
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
    await writeAs(world.x, 'open_w1', 'writer', 'How much is it for a team of four?')
    await page.goto('/inbox')
    await page.locator('[data-conversation]').getByRole('link').click()
    await page.getByText('Suggested replies need a model.').waitFor()
    expect(await button(page, 'Suggest replies').count()).toBe(0)
    await page.getByRole('link', { name: 'Connect a model', exact: true }).click()
    await page.getByText('No model is connected.').waitFor()
    await expectSoundBothWays(page)
  })
})

describe('the AI writer, with a model', () => {
  it('rewrites a message with undo, and suggests replies that a person sends', async () => {
    const { page, client } = await enter(modelWorld, 'modeled')
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
    await writeAs(modelWorld.x, 'open_w1', 'modeled', 'How much is it for a team of four?')

    await page.goto('/settings?tab=ai-writer')
    const save = page.getByRole('region', { name: 'AI writer' }).getByRole('button', { name: 'Save', exact: true })
    await page.getByText('OpenAI-compatible, with our key').waitFor()
    await button(page, 'Test the model').click()
    await page.getByText(/^stand-in answered in/).waitFor()
    await button(page, 'Use your own model').press('Enter')
    await button(page, 'Cancel').press('Enter')
    await button(page, 'Use your own model').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    // Text typed while saving stays.
    const about = page.getByLabel('About us')
    const fullText = 'We write onboarding emails. $39 a month.'
    await about.fill('We write onboarding emails.')
    await page.route('**/api/writer/about', async (route) => {
      if (route.request().method() === 'PUT') await about.fill(fullText)
      await route.continue()
    })
    await save.click()
    await page.getByText('Text saved.').waitFor()
    await expect.poll(() => save.getAttribute('aria-busy')).toBeNull()
    expect(await about.inputValue()).toBe(fullText)
    await save.click()
    await expect.poll(async () => (await client.writer.about()).text).toBe(fullText)
    await page.unroute('**/api/writer/about')
    await expectSoundBothWays(page)

    await page.goto('/campaigns')
    const message = page.getByLabel('Message template')
    await message.fill('Hi {lead_name}, what are you building?')
    await button(page, 'AI').click()
    await button(page, 'Shorter').click()
    await page.getByText('Message rewritten.').waitFor()
    await button(page, 'Undo').click()
    await expect.poll(() => message.inputValue()).toBe('Hi {lead_name}, what are you building?')
    const own = { kind: 'openai_compatible', baseUrl: model.url, apiKey: model.key } as const
    await client.writer.saveProvider({ ...own, model: 'stand-in-malformed' })
    await button(page, 'AI').click()
    modelWorld.expectConsole(/503/)
    await button(page, 'Friendlier').click()
    await page.getByText("The model's response couldn't be read. Your text is unchanged.").waitFor()
    expect(await message.inputValue()).toBe('Hi {lead_name}, what are you building?')
    await client.writer.saveProvider({ ...own, model: 'stand-in-slow' })
    await button(page, 'AI').click()
    await button(page, 'Write with AI').click()
    await page.getByLabel('Audience (optional)').fill('founders')
    await button(page, 'Write three drafts').click()
    await button(page, 'Cancel').click()
    await expect
      .poll(() => button(page, 'Write three drafts').evaluate((element) => element === document.activeElement))
      .toBe(true)
    expect(await page.getByLabel('Audience (optional)').inputValue()).toBe('founders')
    await client.writer.removeProvider()
    await page.getByLabel('Goal').selectOption('Something else')
    await page.getByLabel('Your goal').fill('x'.repeat(501))
    await page.getByText('At most 500 characters.').waitFor()
    await page.getByLabel('Your goal').fill('Find testers')
    await button(page, 'Write three drafts').click()
    await button(page, 'Use this draft 3').click()
    await page.getByText('Message replaced.').waitFor()
    const written = await message.inputValue()
    expect(written).not.toBe('Hi {lead_name}, what are you building?')
    await message.fill('')

    await page.goto('/inbox')
    await page.locator('[data-conversation]').getByRole('link').click()
    await page.getByRole('log').waitFor()
    // An answer is suggested once, also after a reload. Esc drops it.
    const suggested = page.getByRole('status').getByText(/^Suggested answer: Thanks for your answer/)
    await suggested.waitFor()
    const { tokens } = await client.writer.usage({})
    await page.reload()
    await suggested.waitFor()
    await page.getByRole('textbox', { name: 'Reply' }).press('Escape')
    await suggested.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('log').waitFor()
    expect((await client.writer.usage({})).tokens).toBe(tokens)
    await button(page, 'Suggest replies').click()
    const suggestions = page.getByRole('region', { name: 'Suggested replies' })
    await suggestions.getByText('Suggested, 1 of 2').waitFor()
    await suggestions.getByText(/^Thanks for your answer/).waitFor()
    await expectSoundBothWays(page)
    // A failed rewrite keeps the focus. The next suggestion clears its error.
    await client.writer.saveProvider({ ...own, model: 'stand-in-malformed' })
    await button(page, 'Shorter').press('Enter')
    await suggestions.getByText("The model's response couldn't be read.").waitFor()
    await expect
      .poll(() => button(page, 'Shorter').evaluate((element) => element === document.activeElement))
      .toBe(true)
    await client.writer.removeProvider()
    await button(page, 'Another suggestion').click()
    await suggestions.getByText('Suggested, 2 of 2').waitFor()
    await suggestions.getByText(/^Good to hear from you/).waitFor()
    const reply = page.getByRole('textbox', { name: 'Reply' })
    expect(await reply.inputValue()).toBe('')
    await reply.press('Tab')
    await expect.poll(() => reply.inputValue()).toMatch(/^Good to hear from you/)
    await button(page, 'Suggest replies').click()
    await button(page, 'Close suggestions').click()
    await expect.poll(() => reply.evaluate((element) => element === document.activeElement)).toBe(true)
    expect((await messagesAtX(modelWorld.x)).filter(({ from }) => from === 'modeled')).toEqual([])
    expect((await client.writer.usage({})).tokens).toBeGreaterThan(0)
  })
})
