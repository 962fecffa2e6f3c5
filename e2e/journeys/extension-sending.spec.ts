import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { buildExtensionIfStale } from '../../tools/extension-build.ts'
import { type ExtensionWorld, openExtensionWorld } from '../extension-world.ts'
import { expectSoundPage, importLeads, messagesAtX, openWorld, type SignedUp, signUp, type World } from '../world.ts'

/** The extension as the product hands it out, paired with an account, sending what the campaigns page starts. */
let world: World
let browser: ExtensionWorld
let person: SignedUp
let client: ReturnType<typeof createClient>

beforeAll(async () => {
  await buildExtensionIfStale(() => {})
  world = await openWorld({}, { xPages: true, pages: false })
  browser = await openExtensionWorld(world)
  person = await signUp(world, 'sender@example.com')
  client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await person.enter(browser.product)
  await browser.signInToX('browser_sender')
})

/** A campaign of the extension to this many people, saved and paused. */
async function makeCampaign(name: string, count: number) {
  const handles = Array.from({ length: count }, (_, n) => `open_${name.toLowerCase()}${n}`)
  await importLeads(world, person.token, ['twitter_handle,name', ...handles.map((handle, n) => `${handle},Lead ${n}`)])
  const list = await client.lists.create({ name })
  await client.lists.addLeads({ id: list.id, filter: { keyword: `open_${name.toLowerCase()}` } })
  const messageTemplate = `${name} to {lead_name} {twitter_handle}, a text of more than thirty characters.`
  const campaign = await client.campaigns.create({
    name,
    leadListId: list.id,
    messageTemplate,
    status: 'paused',
    channel: 'extension',
  })
  return { id: campaign.id, handles }
}

const sentTo = async (handles: string[]) =>
  (await messagesAtX(world.x)).map(({ to }) => to).filter((to) => handles.includes(to))
const startFrom = (page: Page, name: string) =>
  page.getByRole('row', { name }).getByRole('button', { name: 'Start Real Send' }).click()

test('the extension’s page: pair by one press, what it does and sees, unpair, and pair by a code', async () => {
  const page = browser.product
  await page.goto(`${world.origin}/extension`)
  await page.getByText('Installed, not paired').waitFor()
  await expectSoundPage(page)
  for (const heading of ['Install it', 'Paired browsers', 'What it does', 'What it can see', 'What X says'])
    expect(await page.getByRole('heading', { name: heading }).isVisible(), heading).toBe(true)
  await page.getByRole('button', { name: 'Pair this browser' }).click()
  await page.getByText('sender@example.com · sender').waitFor()
  await page.getByRole('list', { name: 'Paired browsers' }).getByText('@browser_sender on X').waitFor()
  await page.getByLabel('Send without this page').click()
  await page.getByText('Ready. It sends what you queue, with or without a page.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectSoundPage(page)
  await page.setViewportSize({ width: 1280, height: 900 })

  // Taken back from the list, as from another computer: the extension finds its key useless, and forgets it.
  await page.getByRole('list', { name: 'Paired browsers' }).getByRole('button', { name: 'Unpair' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unpair' }).click()
  await page.getByText('None yet. Once a browser is paired').waitFor()
  const { popup } = browser
  await popup.bringToFront()
  await popup.reload()
  await popup.getByText('Not paired').waitFor()
  const { code } = await client.extension.createCode()
  await popup.getByLabel('Pairing code').fill('WRNG-CODE')
  await popup.getByRole('button', { name: 'Pair', exact: true }).click()
  await popup.getByText('This pairing code is wrong, was used, or has expired. Make a new one.').waitFor()
  await popup.getByLabel('Pairing code').fill(code.toLowerCase())
  await popup.getByRole('button', { name: 'Pair', exact: true }).click()
  await popup.getByText('0 of 500 messages').waitFor()
  await popup.getByLabel('Without a page').check()
  expect((await client.extension.list()).pairings).toMatchObject([{ signedInAs: 'browser_sender', version: '0.1.0' }])
})

test('a campaign of 20 goes out from the campaigns page, each message once; another tab does not send beside it', async () => {
  const { id, handles } = await makeCampaign('Spring', 20)
  const page = browser.product
  await page.bringToFront()
  await page.goto(`${world.origin}/campaigns`)
  await startFrom(page, 'Spring')
  const progress = page.getByText(/^Sending DM \d+ of 20 to @open_spring\d+: "Spring to Lead \d+ @open_spring.*…"$/)
  await progress.first().waitFor()
  await page.getByText('Sending “Spring” from this browser').waitFor()
  await expectSoundPage(page)
  const other = await browser.context.newPage()
  await other.goto(`${world.origin}/campaigns`)
  await startFrom(other, 'Spring')
  await other.getByText('Another campaign DM sending process is already active.').waitFor()
  await other.close()
  // One notice goes along; those of the messages before have made room for it.
  await page.getByText(/^Sending DM [3-9] of 20/).waitFor()
  expect(await progress.count()).toBe(1)
  await page.getByText('Finished sending DMs for campaign: "Spring".').waitFor({ timeout: 90_000 })
  expect((await sentTo(handles)).sort()).toEqual([...handles].sort())
  expect(await client.campaigns.find({ id })).toMatchObject({
    status: 'completed',
    dmsSentCount: 20,
    dmsFailedCount: 0,
  })
}, 120_000)

test('with its tab closed half-way the extension goes on, stops at once on a pause, and goes on after it', async () => {
  // Each message takes the time that X's pages are waited for: no more of them than its turns need.
  const { id, handles } = await makeCampaign('Summer', 8)
  const page = await browser.context.newPage()
  await page.goto(`${world.origin}/campaigns`)
  await startFrom(page, 'Summer')
  await expect.poll(async () => (await sentTo(handles)).length, { timeout: 40_000 }).toBeGreaterThanOrEqual(2)
  await page.close()
  await expect.poll(async () => (await sentTo(handles)).length, { timeout: 40_000 }).toBeGreaterThanOrEqual(4)
  await client.campaigns.update({ id, status: 'paused' })
  const atPause = (await sentTo(handles)).length
  expect(atPause).toBeLessThan(8)
  await browser.popup.bringToFront()
  await browser.popup.getByText('Ready. Nothing is queued.').waitFor()
  // What was pressed as the pause came may still show; nothing after it.
  expect((await sentTo(handles)).length).toBeLessThanOrEqual(atPause + 1)
  await client.campaigns.update({ id, status: 'active' })
  await browser.popup.reload()
  await expect.poll(async () => (await client.campaigns.find({ id })).status, { timeout: 60_000 }).toBe('completed')
  expect((await sentTo(handles)).sort()).toEqual([...handles].sort())
  expect(await client.campaigns.find({ id })).toMatchObject({ dmsSentCount: 8, dmsFailedCount: 0 })
}, 120_000)
