import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundBothWays, expectSoundPage, importLeads, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

it('changes sending limits, manages the suppression list and receives notifications', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'settings@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await client.xAccount.connect({ username: 'settings_sender', password: 'long enough' })

  // Sending limits: validation, and a closed sending window that delays a campaign.
  await page.goto('/settings')
  await page.getByRole('heading', { name: 'Sending limits for @settings_sender' }).waitFor()
  await page.getByText('0 of 500', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Daily cap' }).fill('900')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('Enter a whole number from 1 to 500.').waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('textbox', { name: 'Daily cap' }).fill('40')
  await page.getByRole('button', { name: 'Use safe defaults' }).click()
  expect(await page.getByLabel('Sat', { exact: true }).isChecked()).toBe(false)
  expect(await page.getByRole('switch', { name: 'Warm up' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('textbox', { name: 'Daily cap' }).fill('40')
  await page.getByRole('switch', { name: 'All day' }).uncheck()
  const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 13)
  await page.getByLabel('From', { exact: true }).fill(`${hour(2)}:00`)
  await page.getByLabel('To', { exact: true }).fill(`${hour(3)}:00`)
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('Saved. Applies from the next message.').waitFor()
  await page.getByText('0 of 40', { exact: true }).waitFor()
  await page.getByText(/Outside the sending window: nothing will be sent until/).waitFor()

  await page.getByLabel('Words and phrases').fill('lass das')
  await page.getByRole('button', { name: 'Add word' }).click()
  await page.getByRole('button', { name: 'Save words' }).click()
  await page.getByText('Opt-out words saved.').waitFor()
  // Typed text stays when a save also brings another member's changes.
  const fields = ['Pause at refusals', 'Pause at opt-outs', 'Warn at closed inboxes']
  const typed = () => Promise.all(fields.map((name) => page.getByRole('textbox', { name }).inputValue()))
  const [refusals] = fields.map((name) => page.getByRole('textbox', { name }))
  await refusals!.fill('30')
  await page.getByLabel('Words and phrases').fill('basta')
  await client.sendingSettings.saveProtection({ refusalPercent: 25, optOutsPerHundred: 9 })
  await client.sendingSettings.saveOptOutWords({ words: ['genug'] })
  await page.getByRole('switch', { name: 'Warm up' }).click()
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('genug').waitFor()
  expect((await typed()).slice(0, 2)).toEqual(['30', '9'])
  expect(await page.getByLabel('Words and phrases').inputValue()).toBe('basta')
  await page.getByRole('button', { name: 'Use the defaults' }).click()
  await page.getByText('Protection saved.').waitFor()
  await expect.poll(typed).toEqual(['20', '4', '60'])

  // The contact basis rule can be turned off only after confirming X's rules.
  const basis = page.getByRole('switch', { name: /Only message leads with a contact basis/ })
  await basis.click()
  await page.getByText('Campaigns now only message leads with a contact basis.').waitFor()
  await basis.click()
  const question = page.getByRole('dialog')
  const messageAnyone = question.getByRole('button', { name: 'Message anyone' })
  expect(await messageAnyone.isDisabled()).toBe(true)
  await expectSoundPage(page)
  await question.getByLabel("I've read this and take responsibility for who we message.").check()
  await messageAnyone.click()
  await page.getByText('Campaigns now message every lead on their list.').waitFor()
  await page.getByText(/^Turned off /).waitFor()

  await importLeads(world, person.token, ['twitter_handle', 'open_set_1', 'open_set_2'])
  const list = await client.lists.create({ name: 'Two' })
  await client.lists.addLeads({ id: list.id, filter: {} })
  const campaign = await client.campaigns.create({
    name: 'Spring',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}',
    status: 'paused',
  })
  await client.campaigns.queue({ id: campaign.id })
  await page.goto(`/campaigns/${campaign.id}`)
  await page.getByText('Waiting: outside the sending window').waitFor()
  await page.getByText(/^Nothing will be sent until .*Sending then resumes automatically\.$/).waitFor()
  await expectSoundPage(page)

  // The suppression list: add, search, remove, undo, import.
  await page.goto('/settings?tab=suppression-list')
  await page.getByText('No one suppressed yet').waitFor()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByRole('dialog').getByLabel('Handles').fill('@ada_l, no!')
  await page.getByRole('button', { name: 'Suppress' }).click()
  await page.getByText("“no!” isn't a valid X handle: use 1 to 15 letters, digits or underscores.").waitFor()
  await expectSoundPage(page)
  await page.getByRole('dialog').getByLabel('Handles').fill('@ada_l\nhttps://x.com/grace_h')
  await page.getByRole('dialog').getByLabel('Note').fill('Asked by phone')
  await page.getByRole('button', { name: 'Suppress' }).click()
  await page.getByText('2 people added.').waitFor()
  await page.getByText('2 people suppressed').waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Remove @ada_l from the list' }).click()
  await page.getByText('@ada_l can be messaged again.').waitFor()
  await page.getByText('1 person suppressed').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  // A toast stays while the pointer is on it.
  await page.mouse.move(0, 0)
  await page.getByText('2 people suppressed').waitFor()
  await page.getByLabel('Search by handle').fill('grace')
  await page.getByText('1 person found').waitFor()
  await page.getByLabel('Search by handle').fill('')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel('CSV file').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('handle\nlinus_t\nnot one\nada_l\n'),
  })
  await page.getByLabel('Handle maps to').waitFor()
  await page.getByRole('button', { name: 'Import people' }).click()
  await page.getByText('1 person added', { exact: true }).waitFor()
  await page.getByText('Row 3 twitter_handle must be 1 to 15 letters, digits or underscores').waitFor()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('3 people suppressed').waitFor()

  // Notifications: no email about completed campaigns. The bell shows one when the sending window
  // opens.
  await page.goto('/settings?tab=notifications')
  const completed = page.getByRole('group', { name: 'Campaign complete' })
  await completed.getByRole('switch', { name: 'Email' }).uncheck()
  await expectSoundBothWays(page)
  await page.reload()
  await expect.poll(() => completed.getByRole('switch', { name: 'Email' }).isChecked()).toBe(false)
  const [limits] = (await client.sendingSettings.find()).accounts
  await client.sendingSettings.saveLimits({
    xAccountId: limits!.xAccountId,
    timeZone: 'UTC',
    workDays: [1, 2, 3, 4, 5, 6, 7],
    hours: null,
    dailyCap: null,
    warmUp: false,
    pauseSeconds: null,
  })
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await page.getByText('Campaign “Spring” is complete').waitFor()
  await expectSoundPage(page)
  await page.getByRole('link', { name: /Campaign “Spring” is complete/ }).click()
  await page.waitForURL(`**/campaigns/${campaign.id}`)
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
})
