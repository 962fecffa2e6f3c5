import { beforeAll, expect, test } from 'vitest'
import { openSendingWorld, type SendingWorld, startFrom } from '../sending-world.ts'

/** The extension is paired and allowed to send in the background. */
let sending: SendingWorld
beforeAll(async () => {
  sending = await openSendingWorld()
  const { browser, client } = sending
  const { code } = await client.extension.createCode()
  await browser.ask(browser.product, { action: 'PAIR', data: { code } })
  await browser.ask(browser.product, { action: 'SET_BACKGROUND_SENDING', data: { allowed: true } })
})

test('continues a campaign after its tab is closed, stops on a pause and resumes', async () => {
  const { world, browser, client, makeCampaign, sentTo } = sending
  const { id, handles } = await makeCampaign('Summer', 20)
  const page = await browser.context.newPage()
  await page.goto(`${world.origin}/campaigns`)
  await startFrom(page, 'Summer')
  await expect.poll(async () => (await sentTo(handles)).length, { timeout: 120_000 }).toBeGreaterThanOrEqual(8)
  await page.close()
  await expect.poll(async () => (await sentTo(handles)).length, { timeout: 120_000 }).toBeGreaterThanOrEqual(10)
  await client.campaigns.update({ id, status: 'paused' })
  const atPause = (await sentTo(handles)).length
  expect(atPause).toBeLessThan(20)
  await browser.popup.bringToFront()
  await browser.popup.getByText('Ready. Nothing is queued.').waitFor()
  // A message in progress may still appear after the pause, but none after it.
  expect((await sentTo(handles)).length).toBeLessThanOrEqual(atPause + 1)
  await client.campaigns.update({ id, status: 'active' })
  await browser.popup.reload()
  await expect.poll(async () => (await client.campaigns.find({ id })).status, { timeout: 240_000 }).toBe('completed')
  expect((await sentTo(handles)).sort()).toEqual([...handles].sort())
  expect(await client.campaigns.find({ id })).toMatchObject({ dmsSentCount: 20, dmsFailedCount: 0 })
})
