import { beforeAll, expect, test } from 'vitest'
import { openSendingWorld, type SendingWorld, startFrom } from '../sending-world.ts'
import { expectSoundPage } from '../world.ts'

/** The extension as the product hands it out, sending what the campaigns page starts; then paired with an account. */
let sending: SendingWorld
beforeAll(async () => {
  sending = await openSendingWorld()
})

test('a campaign of 20 goes out from the campaigns page, also where nobody has paired the browser, each message once; another tab does not send beside it', async () => {
  const { world, browser, client, makeCampaign, sentTo } = sending
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
  // The campaign's own page says so, too.
  await page.getByRole('link', { name: 'Spring' }).click()
  await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor()
  await page.getByText('Sending “Spring” from this browser').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Campaigns', exact: true }).click()
  // One notice goes along; those of the messages before have made room for it.
  await page.getByText(/^Sending DM ([3-9]|1\d) of 20/).waitFor()
  await expect.poll(() => progress.count()).toBe(1)
  await page.getByText('Finished sending DMs for campaign: "Spring".').waitFor({ timeout: 90_000 })
  expect((await sentTo(handles)).sort()).toEqual([...handles].sort())
  expect(await client.campaigns.find({ id })).toMatchObject({
    status: 'completed',
    dmsSentCount: 20,
    dmsFailedCount: 0,
  })
}, 120_000)

test('the extension’s page: pair by one press, what it does and sees, unpair, and pair by a code', async () => {
  const { world, browser, client } = sending
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
  await popup.getByText(/^\d+ of 500 messages$/).waitFor()
  await popup.getByLabel('Without a page').check()
  expect((await client.extension.list()).pairings).toMatchObject([{ signedInAs: 'browser_sender', version: '0.1.0' }])
})
