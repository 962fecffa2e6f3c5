import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundBothWays, expectSoundPage, importLeads, openWorld, signUp, type World, writeAs } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const search = (page: Page) => page.getByRole('combobox', { name: /^Search people/ })
const option = (page: Page, name: RegExp) => page.getByRole('option', { name }).first()

/** Creates a user with an X account, three leads on a list and an active campaign. */
async function enter(handle: string) {
  const signedUp = await signUp(world, `${handle}@example.com`)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: handle, password: 'any eight or more' })
  const [account] = (await client.xAccount.list({})).accounts
  await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
  const people = ['a', 'b', 'c'].map((letter) => `open_${handle}_${letter}`)
  await importLeads(world, token, ['twitter_handle,name', ...people.map((lead, n) => `${lead},Pelican ${n + 1}`)])
  const list = await client.lists.create({ name: 'Bird watchers' })
  const { leads } = await client.leads.list({})
  await client.lists.addLeads({ id: list.id, leadIds: leads.map(({ id }) => id) })
  const campaign = await client.campaigns.create({
    name: 'Spring flight',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}',
    status: 'paused',
    channel: 'extension',
  })
  await client.campaigns.queue({ id: campaign.id })
  const page = await world.openPage()
  await signedUp.enter(page)
  return { page, client, campaign, people }
}

it('finds a lead and a page and pauses all campaigns, by keyboard alone', async () => {
  const { page, client, campaign } = await enter('palette')
  await page.goto('/lists')
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .waitFor()
  const { keyboard } = page
  await keyboard.press('Control+k')
  await search(page).waitFor()
  await expectSoundPage(page)
  await keyboard.type('pelican 2')
  await option(page, /Pelican 2/).waitFor()
  await expectSoundPage(page)
  await keyboard.press('Enter')
  await page.waitForURL('**/leads?lead=*')
  await page.getByRole('dialog').getByRole('heading', { name: 'Pelican 2' }).waitFor()
  await keyboard.press('Escape')
  await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)

  // A reload would stop work that runs in this tab, and lose the selection.
  const load = await page.evaluate(() => performance.timeOrigin)
  await keyboard.press('Control+k')
  await search(page).waitFor()
  await keyboard.type('pelican 3')
  await option(page, /Pelican 3/).waitFor()
  const before = page.url()
  await keyboard.press('Enter')
  await page.waitForURL((url) => url.href !== before)
  await page.getByRole('dialog').getByRole('heading', { name: 'Pelican 3' }).waitFor()
  await keyboard.press('Escape')
  await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(load)

  await keyboard.press('Control+k')
  await search(page).waitFor()
  // The last opened result is offered again.
  await option(page, /Pelican 2/).waitFor()
  await keyboard.type('suppression')
  await option(page, /Suppression list/).waitFor()
  await keyboard.press('Enter')
  await page.waitForURL('**/settings#suppression-list')
  // Search opens again after it was closed.
  await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)

  await keyboard.press('Control+k')
  await search(page).waitFor()
  await keyboard.type('dark')
  await option(page, /Dark theme/).waitFor()
  await keyboard.press('Enter')
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)

  const statusOf = async () => (await client.campaigns.find({ id: campaign.id })).status
  for (const [verb, status] of [
    ['pause', 'paused'],
    ['resume', 'active'],
  ]) {
    await keyboard.press('Control+k')
    await search(page).waitFor()
    await keyboard.type(`${verb} ${campaign.name.slice(0, 4).toLowerCase()}`)
    await option(page, new RegExp(`^${verb} “`, 'i')).waitFor()
    await keyboard.press('Enter')
    await expect.poll(statusOf).toBe(status)
    await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)
  }

  await keyboard.press('Control+k')
  await search(page).waitFor()
  await keyboard.type('pause all')
  await option(page, /Pause all campaigns/).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('alertdialog').getByText('This pauses 1 active campaign.').waitFor()
  await page.getByRole('button', { name: 'Pause all', exact: true }).press('Enter')
  await page.getByText('Paused 1 campaign.').waitFor()
  expect((await client.campaigns.find({ id: campaign.id })).status).toBe('paused')

  await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0)
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Search, or run an action').waitFor()
  await expectSoundPage(page)
  await keyboard.press('Escape')
  await expect.poll(() => page.locator('[role=dialog]').count()).toBe(0)
  await keyboard.press('g')
  await keyboard.press('c')
  await page.waitForURL('**/campaigns')
})

it('shows on Home what is sent today, and who waits after a reply', async () => {
  const { page, client, people, campaign } = await enter('homely')
  await page.goto('/dashboard')
  const today = page.getByRole('region', { name: 'Today' })
  await today.getByText('Replies waiting').waitFor()
  await page.getByRole('heading', { name: /^Nobody is waiting/ }).waitFor()
  await page.getByRole('link', { name: /Spring flight/ }).waitFor()
  await page.getByRole('button', { name: 'Pause Spring flight' }).click()
  await page.getByText('Campaign paused.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Campaign resumed and set to active.').waitFor()
  expect((await client.campaigns.find({ id: campaign.id })).status).toBe('active')
  await writeAs(world.x, people[0] ?? '', 'homely', 'Yes, tell me more. What does it cost?')
  await expect
    .poll(async () => (await client.conversations.list({})).conversations.length, { timeout: 120_000 })
    .toBe(1)
  await page.getByRole('heading', { name: '1 person is waiting for your answer' }).waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('link', { name: /Answer replies/ }).click()
  await page.waitForURL('**/inbox')
})
