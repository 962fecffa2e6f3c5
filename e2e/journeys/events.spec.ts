import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { importLeads, openWorld, signUp, type World, writeAs } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

/** Opens a signed-in browser whose user has an X account and a conversation with a lead. */
async function enter(handle: string, lead: string) {
  const signedUp = await signUp(world, `${handle}@example.com`)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: handle, password: 'any eight or more' })
  const [account] = (await client.xAccount.list({})).accounts
  await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
  await importLeads(world, token, ['twitter_handle,name', `${lead},Lena Lead`])
  // Once a conversation appears, X reports this account's messages.
  await writeAs(world.x, lead, handle, 'Hello there')
  await expect
    .poll(async () => (await client.conversations.list({})).conversations.length, { timeout: 120_000 })
    .toBe(1)
  const page = await world.openPage()
  await signedUp.enter(page)
  return page
}

const openTab = async (page: Page, path: string) => {
  const tab = await page.context().newPage()
  await tab.goto(path)
  return tab
}

describe('live updates', () => {
  it('show a reply in two tabs without polling, on one stream per browser', async () => {
    const first = await enter('liveone', 'open_live')
    const streams: string[] = []
    first.context().on('request', (request) => {
      if (request.url().endsWith('/api/events')) streams.push(request.url())
    })
    await first.goto('/inbox')
    const second = await openTab(first, '/inbox')
    for (const tab of [first, second]) await tab.locator('[data-conversation]').getByText('Hello there').waitFor()
    await expect.poll(() => streams.length).toBeGreaterThan(0)
    await writeAs(world.x, 'open_live', 'liveone', 'Tell me more')
    // The message appears much sooner than the next poll.
    for (const tab of [first, second])
      await tab.locator('[data-conversation]').getByText('Tell me more').waitFor({ timeout: 30_000 })
    expect(streams).toHaveLength(1)
  })

  it('leave seven tabs usable, and continue in another tab when the first is closed', async () => {
    const first = await enter('seventabs', 'open_seven')
    await first.goto('/inbox')
    const tabs = []
    for (const path of ['/inbox', '/leads', '/lists', '/campaigns', '/inbox', '/settings'])
      tabs.push(await openTab(first, path))
    await first.close()
    const last = tabs.at(-1) as Page
    await last.goto('/leads')
    await last.getByText('Lena Lead').first().waitFor()
    await writeAs(world.x, 'open_seven', 'seventabs', 'Still here')
    await (tabs[0] as Page).locator('[data-conversation]').getByText('Still here').waitFor({ timeout: 30_000 })
  })
})
