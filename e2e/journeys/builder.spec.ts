import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { expectSoundBothWays, importLeads, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

async function enter(email: string) {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, email)])
  await person.enter(page)
  const { token } = person
  return {
    page,
    token,
    client: createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } }),
  }
}

/** Whether the whole element is inside the window. */
async function isInView(page: Page, name: string, role: 'button' | 'region'): Promise<boolean> {
  const box = await page.getByRole(role, { name, exact: true }).boundingBox()
  const { width, height } = page.viewportSize()!
  return box !== null && box.y >= 0 && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height
}

test('writes a campaign on a page of its own, with pre-flight and actions in view', async () => {
  const { page, client, token } = await enter('builder@example.com')
  await world.subscribe('builder@example.com')
  await client.xAccount.connect({ username: 'builder', password: 'any eight or more' })
  await importLeads(world, token, ['twitter_handle,name', 'open_b1,Ada Lovelace', 'open_b2,Alan Turing'])
  const { id: listId } = await client.lists.create({ name: 'Pioneers' })
  await client.lists.addLeads({ id: listId, filter: {} })

  // The builder shows what was written in the form.
  await page.goto('/campaigns')
  await page.getByLabel('Message template').fill('Hi {first_name}')
  await page.getByRole('link', { name: 'Open in builder' }).click()
  await page.waitForURL(`${world.origin}/campaigns/new`)
  const message = page.getByLabel('Message template')
  await expect.poll(() => message.inputValue()).toBe('Hi {first_name}')
  // With a single list, its name is in the title.
  await page.getByRole('heading', { name: /^Pioneers, \w+ \d+$/, level: 1 }).waitFor()
  await page.getByLabel('Campaign Name').fill('Pioneers, first hello')
  await page.getByRole('heading', { name: 'Pioneers, first hello', level: 1 }).waitFor()
  await page.getByLabel('Select Lead List').selectOption(listId)
  await page.getByRole('region', { name: 'Pre-flight' }).getByText('2 people').waitFor()
  await page.getByText(/^As .+ sees it$/).waitFor()
  await page.getByText(/^Draft saved \d/).waitFor()
  await expectSoundBothWays(page)

  // The recipients and the actions stay in view, however long the messages get.
  for (const _ of [1, 2, 3]) await page.getByRole('button', { name: 'Add follow-up' }).click()
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  expect(await isInView(page, 'Launch Campaign', 'button')).toBe(true)
  expect(await isInView(page, 'Pre-flight', 'region')).toBe(true)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(() => scrollTo(0, 0))
  expect(await isInView(page, 'Launch Campaign', 'button')).toBe(true)
  expect(await isInView(page, 'Save and Pause', 'button')).toBe(true)
  await page.setViewportSize({ width: 1280, height: 900 })

  // A reload loses nothing, and saving leads to the campaign.
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^Draft saved \d/).waitFor()
  await page.reload()
  await expect.poll(() => message.inputValue()).toBe('Hi {first_name}')
  for (const _ of [1, 2, 3]) {
    await page
      .getByRole('button', { name: /^More for follow-up/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: /^Remove follow-up/ }).click()
  }
  // Keys pressed in a dialog do not reach the page.
  await page.getByRole('button', { name: 'Save as template' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().press('ControlOrMeta+Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect((await client.campaigns.list({})).campaigns).toEqual([])
  await page.getByRole('button', { name: 'Save and Pause' }).click()
  await page.getByText('Campaign "Pioneers, first hello" saved and paused!').waitFor()
  await page.waitForURL(/\/campaigns\/[\da-f-]{36}$/)
  expect((await client.campaignDrafts.list()).drafts).toEqual([])
})

test('launches with the keyboard and forgets the draft', async () => {
  const { page, client, token } = await enter('keys@example.com')
  await client.xAccount.connect({ username: 'keys', password: 'any eight or more' })
  await importLeads(world, token, ['twitter_handle,name', 'open_k1,Ada Lovelace'])
  const { id: listId } = await client.lists.create({ name: 'Pioneers' })
  await client.lists.addLeads({ id: listId, filter: {} })

  await page.goto('/campaigns/new')
  await page.getByLabel('Message template').fill('Hi {first_name}')
  await page.getByText(/^Draft saved \d/).waitFor()
  await page.getByRole('region', { name: 'Pre-flight' }).getByText('1 person').waitFor()
  await page.getByLabel('Message template').press('ControlOrMeta+Enter')
  await page.getByText(/launched! 1 DM/).waitFor()
  await page.waitForURL(/\/campaigns\/[\da-f-]{36}$/)
  const { campaigns } = await client.campaigns.list({})
  expect(campaigns.map(({ leadListId, status }) => [leadListId, status])).toEqual([[listId, 'active']])
  expect((await client.campaignDrafts.list()).drafts).toEqual([])
})

test('edits messages with the action in view, also from an earlier address', async () => {
  const { page, client } = await enter('editor@example.com')
  const { id: leadListId } = await client.lists.create({ name: 'Pioneers' })
  const draft = { name: 'Edited', leadListId, messageTemplate: 'Hi', status: 'paused' as const }
  const { id } = await client.campaigns.create(draft)
  await page.goto(`/campaigns/${id}/steps`)
  await page.waitForURL(`${world.origin}/campaigns/${id}/edit`)
  await page.getByRole('heading', { name: 'Edit messages', level: 1 }).waitFor()
  await page.getByLabel('Message template').fill('Hello {first_name}')
  expect(await isInView(page, 'Save messages', 'button')).toBe(true)
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Save messages' }).click()
  await page.getByText('Messages saved.').waitFor()
})
