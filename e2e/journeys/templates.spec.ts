import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundBothWays, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

async function enter(name: string): Promise<{ page: Page; client: Client }> {
  const [page, signedUp] = await Promise.all([world.openPage(), signUp(world, `${name}@example.com`)])
  const { token } = signedUp
  await signedUp.enter(page)
  return { page, client: createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } }) }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

it('saves the messages of a campaign as a template, and starts another campaign from it', async () => {
  const { page, client } = await enter('template')
  const { id: leadListId } = await client.lists.create({ name: 'Founders' })
  const body = { name: 'First campaign', leadListId, messageTemplate: 'Hello {lead_name}', status: 'draft' as const }
  const campaign = await client.campaigns.create(body)

  await page.goto(`/campaigns/${campaign.id}`)
  await button(page, 'More').click()
  await item(page, 'Save as template').click()
  await page.getByLabel('Template name').fill('First hello')
  await page.getByLabel('Folder (optional)').fill('Founders')
  // Only Agency includes sharing.
  await expect.poll(() => page.getByLabel('Share with the workspace').isDisabled()).toBe(true)
  await button(page, 'Save template').click()
  await button(page, 'See templates').click()

  await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
  await button(page, 'First hello').waitFor()
  await button(page, 'Question, reminder, goodbye').waitFor()
  await page.getByLabel('Folder', { exact: true }).selectOption('Founders')
  await expect.poll(() => button(page, 'Use').count()).toBe(1)
  await expectSoundBothWays(page)
  // The form opens even if it was collapsed in this browser.
  await page.evaluate(() => localStorage.setItem('campaignForm', 'folded'))
  await button(page, 'Use').click()

  await page.getByText('Started from “First hello”.').waitFor()
  await page.getByLabel('Campaign Name').fill('Second campaign')
  await page.getByLabel('Select Lead List').selectOption(leadListId)
  await button(page, 'Save and Pause').click()
  await page.getByText('Campaign "Second campaign" saved and paused!').waitFor()
  const { templates } = await client.templates.list({ q: 'First hello' })
  expect(templates[0]).toMatchObject({ folder: 'Founders', campaignCount: 1, isShared: false })

  // A template shows where it is used.
  await page.goto('/templates')
  await button(page, 'First hello').click()
  const sheet = page.getByRole('dialog', { name: 'First hello' })
  await sheet.getByRole('link', { name: 'Second campaign', exact: true }).waitFor()
  await expectSoundBothWays(page)
  await sheet.getByRole('link', { name: 'Second campaign', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Second campaign' }).waitFor()
})

it('edits, archives, restores and loses a template, and names the plan that lifts a limit', async () => {
  world.expectConsole(/status of 40[34]/)
  const { page, client } = await enter('limited')
  const steps = [{ variants: [{ messageTemplate: 'Hello' }] }]
  for (const name of ['One', 'Two', 'Three']) await client.templates.create({ name, steps })
  await page.goto('/templates')
  await button(page, 'More for One').click()
  await item(page, 'Edit').click()
  await page.getByLabel('Message template').fill('Hello {lead_name}')
  await button(page, 'Save template').click()
  await page.getByText('Template “One” saved.').waitFor()

  await button(page, 'More for One').click()
  await item(page, 'Duplicate').click()
  await page.getByText('Your Free plan includes 3 templates. Upgrade to Pro for 50, or archive one.').waitFor()

  await button(page, 'More for One').click()
  await item(page, 'Archive').click()
  await page.getByText('Template “One” archived.').waitFor()
  await expect.poll(() => button(page, 'More for One').count()).toBe(0)
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TR')
  await button(page, 'Undo').click()
  await page.getByText('Template “One” restored.').waitFor()
  await button(page, 'More for One').waitFor()
  const [template] = (await client.templates.list({ q: 'One' })).templates
  expect(template?.steps[0]?.variants[0]?.messageTemplate).toBe('Hello {lead_name}')

  // Someone else deletes the template while a campaign form is using its messages.
  const { id: leadListId } = await client.lists.create({ name: 'Founders' })
  await page.getByRole('row').filter({ hasText: 'Hello {lead_name}' }).getByRole('button', { name: 'Use' }).click()
  await page.getByText('Started from “One”.').waitFor()
  await page.getByLabel('Campaign Name').fill('Without it')
  await page.getByLabel('Select Lead List').selectOption(leadListId)
  await client.templates.remove({ id: template?.id ?? '' })
  await button(page, 'Save and Pause').press('Enter')
  await page.getByText('This template is no longer available.').waitFor()
  await expect.poll(() => button(page, 'Save and Pause').evaluate((save) => save === document.activeElement)).toBe(true)
  await button(page, 'Save and Pause').press('Enter')
  await page.getByText('Campaign "Without it" saved and paused!').waitFor()
})

it('keeps an unsaved template when its dialog closes, and asks before Cancel discards it', async () => {
  const { page } = await enter('unsaved')
  await page.goto('/templates')
  const dialog = page.getByRole('dialog', { name: 'New template' })
  await button(page, 'New template').click()
  await page.getByLabel('Template name').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await button(page, 'New template').click()
  await page.getByLabel('Message template').fill('Hello {lead_name}')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await button(page, 'New template').click()
  await dialog.getByText('We restored what you typed here.').waitFor()
  await button(page, 'Cancel').click()
  await button(page, 'Keep editing').click()
  expect(await page.getByLabel('Message template').inputValue()).toBe('Hello {lead_name}')
  await button(page, 'Cancel').click()
  await button(page, 'Discard changes').click()
  await dialog.waitFor({ state: 'detached' })

  await button(page, 'New template').click()
  expect(await page.getByLabel('Message template').inputValue()).toBe('')
})

it('replaces the messages in the form by a template, which can be undone', async () => {
  const { page } = await enter('picker')
  await page.goto('/campaigns')
  await page.getByLabel('Message template').fill('My own words')
  await button(page, 'Start from a template').click()
  await page.getByLabel('Search templates').fill('goodbye')
  await page.getByRole('button', { name: /^Question, reminder, goodbye/ }).click()
  // On Free, only the first message is used, and the form says so.
  await page.getByText('Left out: 2 of 3 messages. Your Free plan includes 1 step per campaign.').waitFor()
  await button(page, 'Undo').click()
  await expect.poll(() => page.getByLabel('Message template').inputValue()).toBe('My own words')
})
