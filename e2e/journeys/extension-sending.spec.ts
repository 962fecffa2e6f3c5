import { RELEASE } from '@x-automated/contract/platform/early-features'
import { beforeAll, expect, test } from 'vitest'
import { openSendingWorld, type SendingWorld, startFrom } from '../sending-world.ts'
import { expectSoundPage } from '../world.ts'

// First the downloaded extension sends a campaign that was started on the campaigns page. Then it is paired.

let sending: SendingWorld
beforeAll(async () => {
  sending = await openSendingWorld()
})

test('sends each message of a campaign once from one tab, without pairing', async () => {
  const { world, browser, client, makeCampaign, sentTo } = sending
  const { id, handles } = await makeCampaign('Spring', 20)
  const page = browser.product
  await page.bringToFront()
  await page.goto(`${world.origin}/campaigns`)
  await startFrom(page, 'Spring')
  const progress = page.getByText(/^Sending DM \d+ of 20 to @open_spring\d+: “Spring to Lead \d+ @open_spring.*…”$/)
  await progress.first().waitFor()
  await page.getByText('Sending “Spring” from this browser').waitFor()
  await expectSoundPage(page)
  const other = await browser.context.newPage()
  await other.goto(`${world.origin}/campaigns`)
  await startFrom(other, 'Spring')
  await other
    .getByText('Another tab of this browser is sending “Spring”. Pause it, or wait until it is done.')
    .waitFor()
  await other.close()
  // The campaign page shows the progress, too.
  await page.locator('a[id^="campaign-"][title="Spring"]').click()
  await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor()
  await page.getByText('Sending “Spring” from this browser').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Campaigns', exact: true }).click()
  // Only the newest progress toast stays. Another one may be fading out.
  await page
    .getByText(/^Sending DM ([3-9]|1\d) of 20/)
    .first()
    .waitFor()
  await expect.poll(() => progress.count()).toBe(1)
  await page.getByText('Finished sending DMs for campaign: "Spring".').waitFor({ timeout: 240_000 })
  expect((await sentTo(handles)).sort()).toEqual([...handles].sort())
  expect(await client.campaigns.find({ id })).toMatchObject({
    status: 'completed',
    dmsSentCount: 20,
    dmsFailedCount: 0,
  })
})

test('pairs with one click, shows status and activity, unpairs, and pairs by code', async () => {
  const { world, browser, client } = sending
  const page = browser.product
  await page.goto(`${world.origin}/extension`)
  await page.getByText('Installed, not paired').waitFor()
  await expectSoundPage(page)
  await page.getByText('can lead to the permanent suspension of your account').waitFor()
  for (const heading of ['Install the extension', 'Paired browsers', 'What it does', 'What it can see', 'What X says'])
    expect(await page.getByRole('heading', { name: heading }).isVisible(), heading).toBe(true)
  await page.getByRole('button', { name: 'Pair this browser' }).click()
  await page.getByText('sender@example.com · sender').waitFor()
  await page.getByRole('list', { name: 'Paired browsers' }).getByText('@browser_sender on X').waitFor()
  await page.getByLabel('Send in the background').click()
  await page.getByText('Ready. Queued messages are sent even when no page is open.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectSoundPage(page)
  await page.setViewportSize({ width: 1280, height: 900 })

  // After unpairing elsewhere, the extension deletes its rejected token.
  await page.getByRole('list', { name: 'Paired browsers' }).getByRole('button', { name: 'Unpair' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unpair' }).click()
  await page.getByText('No paired browsers yet.').waitFor()
  const { popup } = browser
  await popup.bringToFront()
  await popup.reload()
  await popup.getByText('Not paired').waitFor()
  const { code } = await client.extension.createCode()
  await popup.getByLabel('Pairing code').fill('WRNG-CODE')
  await popup.getByRole('button', { name: 'Pair', exact: true }).click()
  await popup.getByText('This pairing code is wrong, already used or expired. Create a new one.').waitFor()
  await popup.getByLabel('Pairing code').fill(code.toLowerCase())
  await popup.getByRole('button', { name: 'Pair', exact: true }).click()
  await popup.getByText(/^\d+ of 500 messages$/).waitFor()
  await popup.getByLabel('Send in the background').check()
  expect((await client.extension.list()).pairings).toMatchObject([{ signedInAs: 'browser_sender', version: RELEASE }])
})

test('changes nothing if a start finds no login on X', async () => {
  const { world, browser, client, makeCampaign, sentTo } = sending
  const { id, handles } = await makeCampaign('Autumn', 1)
  const before = await client.campaigns.find({ id })
  const page = browser.product
  await page.goto(`${world.origin}/campaigns`)
  await browser.signOutOfX()
  await startFrom(page, 'Autumn')
  await page.getByText('Log in to X in this browser first, then try again.').waitFor()
  expect(await client.campaigns.find({ id })).toEqual(before)
  await browser.signInToX('browser_sender')
  await startFrom(page, 'Autumn')
  await page.getByText('Finished sending DMs for campaign: "Autumn".').waitFor({ timeout: 60_000 })
  expect(await sentTo(handles)).toEqual(handles)
})
