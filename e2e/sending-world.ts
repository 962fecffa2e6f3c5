import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { buildIfStale } from '../tools/build.ts'
import { type ExtensionWorld, openExtensionWorld } from './extension-world.ts'
import { importLeads, messagesAtX, openWorld, type SignedUp, signUp, type World } from './world.ts'

/** The product, an account, and a browser with the extension that is logged in to X. */
export interface SendingWorld {
  world: World
  browser: ExtensionWorld
  person: SignedUp
  client: ReturnType<typeof createClient>
  /** Creates a paused browser campaign with this many recipients. */
  makeCampaign(name: string, count: number): Promise<{ id: string; handles: string[] }>
  /** Returns which of these handles have received messages on X, once per message. */
  sentTo(handles: string[]): Promise<string[]>
}

export async function openSendingWorld(): Promise<SendingWorld> {
  // Build before the product starts, because it serves the extension.
  await buildIfStale('extension', () => {})
  const world = await openWorld({}, { xPages: true, pages: false })
  const browser = await openExtensionWorld(world)
  const person = await signUp(world, 'sender@example.com')
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await person.enter(browser.product)
  await browser.signInToX('browser_sender')
  return {
    world,
    browser,
    person,
    client,
    async makeCampaign(name, count) {
      const handles = Array.from({ length: count }, (_, n) => `open_${name.toLowerCase()}${n}`)
      const rows = handles.map((handle, n) => `${handle},Lead ${n}`)
      await importLeads(world, person.token, ['twitter_handle,name', ...rows])
      const list = await client.lists.create({ name })
      await client.lists.addLeads({ id: list.id, filter: { keyword: `open_${name.toLowerCase()}` } })
      const campaign = await client.campaigns.create({
        name,
        leadListId: list.id,
        messageTemplate: `${name} to {lead_name} {twitter_handle}, a text of more than thirty characters.`,
        status: 'paused',
        channel: 'extension',
      })
      return { id: campaign.id, handles }
    },
    sentTo: async (handles) => (await messagesAtX(world.x)).map(({ to }) => to).filter((to) => handles.includes(to)),
  }
}

export const startFrom = (page: Page, name: string) =>
  page.getByRole('row', { name }).getByRole('button', { name: 'Start Real Send' }).click()
