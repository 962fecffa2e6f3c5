import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { callApiAs, type World, writeAs } from './world.ts'

/** All pages in web/app/paths.ts. */
export const pages = [
  ...readFileSync(new URL('../web/app/paths.ts', import.meta.url), 'utf8').matchAll(
    /\{\s*path: '([^']+)',\s*access: '([\w-]+)',\s*file:/g,
  ),
].map(([, path, access]) => ({ path: path ?? '', access }))

export const ofGuests = pages.filter(({ access }) => access === 'public').map(({ path }) => path)
export const ofOthers = pages.filter(({ access }) => access !== 'public').map(({ path }) => path)

/** Elements that show that a page is loading. A status spinner does not count. */
export const LOADING =
  'main [class*="animate-appear"], main [aria-busy="true"], main .animate-spin:not([data-status] *)'

/** Ids that the paths of pages contain. */
interface PathIds {
  campaignId: string
  conversationId: string
  listId: string
  accountId: string
}

/** Fills the parameters of a page's path. */
export function fillPath(path: string, ids: PathIds): string {
  return path.replace(/:(\w+)/, (_, name: keyof PathIds) => ids[name])
}

/**
 * Gives every page of the workspace some content: a list, a queued campaign, another one for the
 * browser extension, and a conversation with its lead @somebody. Requires a connected X account.
 */
export async function createRecords(
  world: World,
  token: string,
  xUsername: string,
): Promise<PathIds & { byBrowserId: string }> {
  const call = (method: string, path: string, body?: unknown) => callApiAs(world.origin, token, method, path, body)
  const { leads } = await call('GET', '/leads')
  const list = await call('POST', '/lists', { name: 'Everybody' })
  await call('POST', `/lists/${list.id}/leads`, { leadIds: [leads[0].id] })
  const messages = { leadListId: list.id, messageTemplate: 'Hello {lead_name}' }
  const campaign = await call('POST', '/campaigns', { ...messages, name: 'Hello', status: 'draft' })
  await call('POST', `/campaigns/${campaign.id}/queue`)
  const byBrowser = await call('POST', '/campaigns', {
    ...messages,
    name: 'By the browser',
    channel: 'extension',
    status: 'paused',
  })
  await writeAs(world.x, 'somebody', xUsername, 'How much is it for a team of four?')
  const conversationIds = async () =>
    (await call('GET', '/conversations')).conversations.map(({ id }: { id: string }) => id)
  await expect.poll(conversationIds, { timeout: 120_000 }).toHaveLength(1)
  const [conversationId] = await conversationIds()
  const { accounts } = await call('GET', '/x-accounts')
  return {
    listId: list.id,
    campaignId: campaign.id,
    byBrowserId: byBrowser.id,
    conversationId,
    accountId: accounts[0].id,
  }
}
