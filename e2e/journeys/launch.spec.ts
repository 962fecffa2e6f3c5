import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { expectSoundPage, importLeads, messagesAtX, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

test('checks a launch, sends it to as many people as the plan allows, and undoes it', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'launcher@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  const handles = Array.from({ length: 62 }, (_, i) => `open_l${i}`)
  await importLeads(world, person.token, ['twitter_handle,name', ...handles.map((handle) => `${handle},Ada`)])
  const { id: listId } = await client.lists.create({ name: 'Everyone' })
  await client.lists.addLeads({ id: listId, filter: {} })
  await client.suppressions.create({ handles: ['open_l0', 'open_l1'] })

  await page.goto('/campaigns')
  await page.getByLabel('Campaign Name').fill('Parts')
  await page.getByLabel('Select Lead List').selectOption(listId)
  await page.getByLabel('Message template').fill('Hi {lead_name}')
  const preflight = page.getByRole('region', { name: 'Pre-flight' })
  await preflight.getByText('60 people').waitFor()
  await preflight.getByText('On your suppression list').waitFor()
  await expectSoundPage(page)
  // Collapsing the form does not lose what was typed.
  await page.getByRole('button', { name: 'Hide form' }).click()
  await page.getByRole('heading', { name: 'Create campaign “Parts”, a list, 1 message' }).waitFor()
  await page.getByRole('button', { name: 'Write messages' }).click()
  await page.getByText(/^50 now, 10 on \w+ 1$/).waitFor()

  // An error clears nothing, and the next attempt launches the same campaign.
  world.expectConsole(/status of 409/)
  const launch = page.getByRole('button', { name: 'Launch Campaign' })
  await launch.click()
  await page.getByText(/^Failed to launch campaign or queue DMs: /).waitFor()
  expect(await page.getByLabel('Campaign Name').inputValue()).toBe('Parts')
  expect(await page.getByLabel('Message template').inputValue()).toBe('Hi {lead_name}')
  await client.xAccount.connect({ username: 'launcher', password: 'any eight or more' })
  await launch.click()
  await page.getByText('Campaign "Parts" launched! 50 DMs queued for 62 leads.').waitFor()
  await expect.poll(() => page.getByLabel('Message template').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('Launch of "Parts" undone. Nothing was sent.').waitFor()
  const { campaigns } = await client.campaigns.list({})
  expect(campaigns).toHaveLength(1)
  expect(campaigns[0]).toMatchObject({ status: 'draft', totalLeadsInList: 0, dmsQueuedCount: 0 })
  expect((await client.billing.overview({})).usage.find(({ what }) => what === 'dms')?.used).toBe(0)

  // Press a key instead of clicking: the toast may cover the button.
  await page.getByRole('button', { name: 'Hide form' }).press('Enter')
  await page.reload()
  await page.getByRole('heading', { name: 'Create campaign Nothing written yet' }).waitFor()

  // The offer to undo a launch survives a reload.
  const draft = { name: 'Reloaded', leadListId: listId, messageTemplate: 'Hi', status: 'draft' as const }
  const { id } = await client.campaigns.create(draft)
  await client.campaigns.queue({ id, limit: 50, holdSeconds: 30 })
  await page.goto(`/campaigns/${id}`)
  await page.getByText(/^From @\w+ · Created /).waitFor()
  await page.getByRole('button', { name: 'Undo launch' }).click()
  await page.getByText('Launch of "Reloaded" undone. Nothing was sent.').waitFor()
  await page.getByRole('button', { name: 'Launch', exact: true }).waitFor()

  // Resuming a campaign that was never launched launches it.
  const saved = await client.campaigns.create({ ...draft, name: 'Saved', status: 'paused' })
  await page.goto(`/campaigns/${saved.id}`)
  await page.getByText(/^50 now, 10 on \w+ 1$/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).press('Enter')
  await page.getByText('Campaign resumed and set to active.').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.matches('body, main'))).toBe(false)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('Launch of "Saved" undone. Nothing was sent.').waitFor()
  expect((await client.campaigns.find({ id: saved.id })).status).toBe('paused')
  // Real Send launches it, too.
  await page.getByRole('button', { name: 'Start Real Send' }).click()
  await expect.poll(async () => (await client.campaigns.find({ id: saved.id })).status).toBe('active')
  expect(await client.campaigns.find({ id: saved.id })).toMatchObject({ totalLeadsInList: 62, openEnrollments: 60 })
  await client.campaigns.update({ id: saved.id, status: 'archived' })

  // A direct message can be undone, too.
  await page.goto('/leads')
  await page.getByRole('button', { name: 'Send DM to @open_l59' }).click()
  await page.getByRole('button', { name: 'Queue DM' }).click()
  await page.getByText('DM has been queued for sending').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText("Undone: 1 DM won't be sent.").waitFor()
  expect(await messagesAtX(world.x)).toEqual([])
})

test('launches a campaign for later if the plan has nothing left', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'later@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await client.xAccount.connect({ username: 'later', password: 'any eight or more' })
  await importLeads(world, person.token, ['twitter_handle', ...Array.from({ length: 53 }, (_, i) => `open_z${i}`)])
  const { id: leadListId } = await client.lists.create({ name: 'Everyone' })
  await client.lists.addLeads({ id: leadListId, filter: {} })
  const fields = { leadListId, messageTemplate: 'Hi', allowRepeat: true, status: 'draft' as const }
  const first = await client.campaigns.create({ ...fields, name: 'First' })
  await client.campaigns.queue({ id: first.id, limit: 50 })
  const { id } = await client.campaigns.create({ ...fields, name: 'Second' })
  await page.goto(`/campaigns/${id}`)
  await page.getByText(/^Nobody now, 53 from \w+ 1, 50 a month$/).waitFor()
  await page.getByRole('button', { name: 'Launch', exact: true }).click()
  await page.getByText('Campaign "Second" launched! 0 DMs queued for 53 leads.').waitFor()
  await page.getByRole('button', { name: 'Undo launch' }).waitFor()
  expect(await page.getByText(/^No queued DMs found/).count()).toBe(0)
  expect(await client.campaigns.find({ id })).toMatchObject({ status: 'active', openEnrollments: 53 })
})

test('takes at most 8 clicks from home through the finder to the first message', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'clicker@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await client.xAccount.connect({ username: 'clicker', password: 'any eight or more' })
  await page.goto('/dashboard')
  let clicks = 0
  await page.exposeFunction('countClick', () => {
    clicks += 1
  })
  await page.evaluate(`addEventListener('pointerdown', () => countClick(), true)`)
  const { keyboard } = page
  const press = (name: string | RegExp, role: 'button' | 'link' | 'checkbox' = 'button') =>
    page.getByRole(role, { name }).first().click()
  await press('Find leads', 'link')
  await page.getByLabel('X Handle to Scrape').click()
  await keyboard.type('@allopen_f120')
  await keyboard.press('Enter')
  await press('Save up to 100 leads')
  await page.getByText('Successfully scraped').waitFor()
  await page.getByText(/^As .+ sees it$/).waitFor()
  await filterByWord(page)
  await press('Write to these')
  // The new campaign contains the preview's message and the scrape's list.
  await page.waitForURL('**/campaigns/new')
  await expect.poll(() => page.getByLabel('Message template').inputValue()).toMatch(/^Hello!/)
  await page.getByLabel('Message template').click()
  await keyboard.type('Hi {lead_name}')
  await press('Launch Campaign')
  const launched = await page.getByText(/launched! \d+ DMs queued for/).innerText()
  // The finder keeps those of the 100 people who may be messaged.
  expect(launched).toMatch(/ 50 DMs queued for \d\d leads\./)
  await expect.poll(async () => (await messagesAtX(world.x)).some(({ from }) => from === 'clicker')).toBe(true)
  expect(clicks).toBeLessThanOrEqual(8)
})

/** Requires a word in bios, then excludes it, then removes it, all by keyboard. */
async function filterByWord(page: Page): Promise<void> {
  const word = page.getByRole('region', { name: 'Bio words' }).getByRole('button').first()
  const count = Number(/(\d+) leads/.exec((await word.textContent()) ?? '')?.[1])
  const matches = page.getByRole('region', { name: 'Leads to use' }).getByRole('definition').first()
  const all = Number(await matches.innerText())
  for (const expected of [`${count} of ${all}`, `${all - count} of ${all}`, `${all}`]) {
    await word.press('Space')
    await expect.poll(() => matches.innerText()).toBe(expected)
  }
}
