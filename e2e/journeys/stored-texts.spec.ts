import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundBothWays, expectSoundPage, importLeads, openWorld, signUp, type World, writeAs } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

it('asks whether conversations are stored, and saves snippets and how long texts are kept', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'texts@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await client.xAccount.connect({ username: 'texts_sender', password: 'long enough' })
  const consent = async () => (await client.xAccount.list()).accounts[0]

  // Other admins may only decline.
  await page.route('**/api/x-accounts', async (route) => {
    const { accounts, ...others } = await (await route.fetch()).json()
    await route.fulfill({ json: { ...others, accounts: [{ ...accounts[0], isConnectedByCaller: false }] } })
  })
  await page.goto('/twitter')
  await page.getByText('The person who connected this account can allow more.').waitFor()
  expect(await page.getByRole('switch', { name: /Store conversations with leads/ }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: "Don't store" }).waitFor()
  await page.goto('/inbox')
  await page.getByText("Texts of @texts_sender aren't stored until").waitFor()
  await page.unroute('**/api/x-accounts')

  // Closing the dialog decides nothing, and Home still asks.
  await page.reload()
  await page.getByText("Texts of @texts_sender aren't stored yet.").waitFor()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Decide: Store conversations of @texts_sender?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Store conversations of @texts_sender?' })
  await dialog.getByText('Reading back the last 30 days costs nothing').waitFor()
  await expectSoundBothWays(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await consent()).toMatchObject({ storesConversations: null })
  expect(new URL(page.url()).search).toBe('')
  await page.getByRole('button', { name: 'Decide' }).click()
  await dialog.getByRole('button', { name: 'Only labels' }).click()
  await page.getByText('Conversations of @texts_sender are not stored.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  expect(await consent()).toMatchObject({ storesConversations: false, consent: null })

  // Only a reply's label and time remain.
  await importLeads(world, person.token, ['twitter_handle,name', 'open_quiet,Quiet Lead'])
  await writeAs(world.x, 'open_quiet', 'texts_sender', 'Between us: how much is it?')
  await page.goto('/inbox')
  await page.getByRole('link', { name: /Quiet Lead/ }).click()
  await page.getByRole('log').getByText('Text not stored').waitFor()
  await page.getByRole('button', { name: /^Question/, pressed: true }).waitFor()
  expect(await page.getByText('Between us').count()).toBe(0)
  const [lead] = (await client.leads.list({})).leads
  await page.goto(`/leads?lead=${lead?.id}`)
  await page.getByRole('listitem').getByText('Text not stored').waitFor()

  await page.goto('/twitter')
  await page.getByRole('switch', { name: /Store conversations with leads/ }).click()
  await dialog.getByRole('checkbox', { name: 'Read back 1 message of the last 30 days' }).waitFor()
  await expectSoundBothWays(page)
  await dialog.getByRole('button', { name: 'Store conversations' }).click()
  await page.getByText(/^Allowed by /).waitFor()
  await page.getByRole('switch', { name: /Suggest people who write first/ }).click()
  await expect.poll(consent).toMatchObject({ storesConversations: true, offersUnknownSenders: true })
  await expectSoundPage(page)

  // The text that was not stored is read back from X.
  await page.goto('/inbox')
  await page
    .getByRole('link', { name: /Quiet Lead/ })
    .getByText('Between us: how much is it?')
    .waitFor({ timeout: 120_000 })

  // Unknown senders are offered as leads.
  await writeAs(world.x, 'open_first', 'texts_sender', 'Hello')
  await expect.poll(async () => (await client.conversationOffers.list({})).offers.length, { timeout: 120_000 }).toBe(1)
  await page.goto('/inbox')
  await page.getByRole('button', { name: 'Add as lead: @open_first' }).waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Add as lead: @open_first' }).click()
  await page.getByText('@open_first is a lead now.').waitFor()
  expect((await client.leads.list({ keyword: 'open_first' })).leads).toMatchObject([
    { twitterHandle: 'open_first', basis: 'wrote_first' },
  ])

  await page.goto('/twitter')
  await page.getByRole('switch', { name: /Store conversations with leads/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop and delete messages' }).click()
  await page.getByText('Conversations of @texts_sender are not stored.').waitFor()
  expect(await consent()).toMatchObject({ storesConversations: false, consent: null, offersUnknownSenders: false })

  await page.goto('/settings?tab=inbox')
  await page.getByText('No snippets yet').waitFor()
  await page.getByRole('button', { name: 'New snippet' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Shortcut').fill('two words')
  await form.getByLabel('Text').fill('It costs $50 a month.')
  await form.getByRole('button', { name: 'Save snippet' }).click()
  await form.getByText('A shortcut has no spaces or slashes.').waitFor()
  await form.getByLabel('Shortcut').fill('price')
  await form.getByRole('button', { name: 'Save snippet' }).click()
  await page.getByRole('list', { name: 'Snippets' }).getByText('/price').waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Delete /price' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete snippet' }).click()
  await page.getByText('No snippets yet').waitFor()

  await page.getByRole('textbox', { name: 'Keep message text for (days)' }).fill('90')
  await page
    .getByRole('region', { name: 'Inbox', exact: true })
    .getByRole('button', { name: 'Save', exact: true })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Message text is kept for 90 days.').waitFor()
  expect(await client.replies.settings()).toEqual({ keepTextsDays: 90 })
})
