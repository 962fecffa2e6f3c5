import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  importLeads,
  messagesAtX,
  openWorld,
  signUp,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

interface Person {
  page: Page
  client: Client
  token: string
}

async function enter(name: string, { plan = 'agency' } = {}): Promise<Person> {
  const email = `${name}@example.com`
  const [page, person] = await Promise.all([world.openPage(), signUp(world, email)])
  if (plan === 'agency') await world.subscribe(email)
  await person.enter(page)
  const { token } = person
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: name, password: 'any eight or more' })
  return { page, client, token }
}

/** Creates a list of people with these handles. */
async function makeList({ client, token }: Person, name: string, handles: string[]): Promise<string> {
  await importLeads(world, token, ['twitter_handle,name', ...handles.map((handle) => `${handle},Name of ${handle}`)])
  const { leads } = await client.leads.list({ pageSize: 100 })
  const { id } = await client.lists.create({ name })
  const leadIds = leads.filter(({ twitterHandle }) => handles.includes(twitterHandle)).map((lead) => lead.id)
  await client.lists.addLeads({ id, leadIds })
  return id
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const textOf = (messageTemplate: string) => ({ variants: [{ messageTemplate }] })
const MINUTE = { amount: 1, unit: 'minutes' } as const

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp) {
  for (let tries = 0; tries < 80; tries += 1) {
    await page.keyboard.press('Tab')
    const focused = page.locator(':focus')
    const label = await focused.evaluate(
      (element) =>
        element.getAttribute('aria-label') ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent ??
        '',
    )
    if (typeof name === 'string' ? label === name : name.test(label)) return
  }
  throw new Error(`no element named ${name}`)
}

describe('sequences, in a browser', () => {
  it('writes three steps with two variants by keyboard only', async () => {
    const person = await enter('keyboard')
    const { page, client } = person
    await makeList(person, 'Founders', ['open_k1', 'open_k2'])
    await page.goto('/campaigns')
    await page
      .getByLabel('Select Lead List')
      .locator('option')
      .filter({ hasText: 'Founders' })
      .waitFor({ state: 'attached' })
    const type = (text: string) => page.keyboard.type(text)
    await tabTo(page, /^Campaign Name/)
    await type('By keyboard')
    await tabTo(page, /^Select Lead List/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Add variant')
    await page.keyboard.press('Enter')
    // The new variant has the focus.
    await type('Second {lead_name}')
    await page.keyboard.press('Shift+Tab')
    for (let tries = 0; tries < 8; tries += 1) {
      if ((await page.locator(':focus').getAttribute('aria-label')) === 'Variant A') break
      await page.keyboard.press('Shift+Tab')
    }
    await page.keyboard.press('Enter')
    await tabTo(page, /^Message template/)
    await type('First {lead_name}')
    await tabTo(page, 'Add follow-up')
    await page.keyboard.press('Enter')
    await type('Third text')
    await tabTo(page, 'Add follow-up')
    await page.keyboard.press('Enter')
    await type('Second text')
    await page.getByRole('group', { name: 'Preview' }).getByText('Third text').waitFor()
    // The last step becomes the second.
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move follow-up 2')
    await page.keyboard.press('ArrowUp')
    await page.getByText('Moved to place 2 of 3.').waitFor()
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move follow-up 1')
    await expectSoundBothWays(page)
    await tabTo(page, 'Save and Pause')
    await page.keyboard.press('Enter')
    await page.getByText('Campaign "By keyboard" saved and paused!').waitFor()
    const { campaigns } = await client.campaigns.list({})
    const { steps } = await client.sequences.find({ id: campaigns[0]?.id ?? '' })
    expect(steps.map(({ variants }) => variants.map(({ messageTemplate }) => messageTemplate))).toEqual([
      ['First {lead_name}', 'Second {lead_name}'],
      ['Second text'],
      ['Third text'],
    ])
  })

  it('removes a step with undo, and shows a problem at its message', async () => {
    const person = await enter('problems')
    const { page } = person
    await makeList(person, 'Founders', ['open_p1'])
    await page.goto('/campaigns')
    await page.getByLabel('Campaign Name').fill('With a problem')
    const select = page.getByLabel('Select Lead List')
    await select.locator('option').nth(1).waitFor({ state: 'attached' })
    await select.selectOption({ index: 1 })
    await page.getByLabel('Message template').fill('Hi {lead_name}')
    await button(page, 'Add follow-up').click()
    await page.getByLabel('Follow-up', { exact: true }).fill('From {compny}')
    await button(page, 'More for follow-up').click()
    await page.getByRole('menuitem', { name: 'Remove follow-up' }).click()
    await page.getByLabel('Follow-up', { exact: true }).waitFor({ state: 'detached' })
    await button(page, 'Undo').click()
    const followUp = page.getByLabel('Follow-up', { exact: true })
    await followUp.waitFor()
    expect(await followUp.inputValue()).toBe('From {compny}')
    world.expectConsole(/status of 400/)
    await button(page, 'Save and Pause').click()
    await page.getByRole('alert').getByText('{compny}').waitFor()
    expect(await followUp.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => followUp.evaluate((element) => element === document.activeElement)).toBe(true)
    await followUp.fill('From {company|you}')
    expect(await followUp.getAttribute('aria-invalid')).toBeNull()
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "With a problem" saved and paused!').waitFor()
  })

  it('says the limits of the Free plan before a press', async () => {
    const { page } = await enter('free', { plan: 'free' })
    await page.goto('/campaigns')
    await page.getByText('Your Free plan includes 1 step per campaign. Upgrade to Pro for 3.').waitFor()
    for (const name of ['Add follow-up', 'Add variant', 'Add re-engagement'])
      expect(await button(page, name).isDisabled(), name).toBe(true)
    await expectSoundPage(page)
  })

  it('stops the follow-up of someone who replies', async () => {
    const person = await enter('stopper')
    const { page, client } = person
    const leadListId = await makeList(person, 'Founders', ['open_talks', 'open_quiet'])
    const { id } = await client.campaigns.create({
      name: 'Two steps',
      leadListId,
      steps: [textOf('Hi'), { ...textOf('Still there?'), delay: MINUTE }],
      status: 'draft',
    })
    await client.campaigns.queue({ id })
    await page.goto(`/campaigns/${id}`)
    const sent = async () => (await messagesAtX(world.x)).filter(({ from }) => from === 'stopper')
    await expect.poll(async () => (await sent()).length, { timeout: 120_000 }).toBe(2)
    await fetch(`${world.x.url}/_people/open_talks/reply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'stopper', text: 'Tell me more' }),
    })
    // Everyone else gets the follow-up.
    const funnel = page.getByRole('table', { name: 'Funnel' })
    await funnel
      .getByRole('row', { name: /^Follow-up/ })
      .getByRole('button', { name: '1 people: sent' })
      .waitFor({ timeout: 300_000 })
    expect((await sent()).filter(({ to }) => to === 'open_talks')).toHaveLength(1)
    expect((await sent()).filter(({ to }) => to === 'open_quiet')).toHaveLength(2)
    await page.getByText('Tell me more').waitFor()
    await button(page, 'All people').click()
    const people = page.getByRole('dialog', { name: 'People in this campaign' })
    await people.getByRole('listitem').filter({ hasText: 'open_talks' }).getByText('Replied').waitFor()
    await expectSoundPage(page)
    await people.getByRole('button', { name: 'Close' }).click()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectSoundPage(page)
  })

  it('changes a running campaign for everyone not sent the step, or only for people sent nothing', async () => {
    const person = await enter('editor')
    const { page, client } = person
    const { accounts } = await client.xAccount.list({})
    const limits = { timeZone: 'UTC', workDays: [1, 2, 3, 4, 5, 6, 7], hours: null, warmUp: false, pauseSeconds: null }
    await client.sendingSettings.saveLimits({ ...limits, xAccountId: accounts[0]?.id ?? '', dailyCap: 1 })
    const leadListId = await makeList(person, 'Founders', ['open_e1', 'open_e2', 'open_e3'])
    const { id } = await client.campaigns.create({
      name: 'Edited',
      leadListId,
      steps: [textOf('Hi'), { ...textOf('Later'), delay: { amount: 3, unit: 'days' } }],
      status: 'draft',
    })
    await client.campaigns.queue({ id })
    await expect.poll(async () => (await client.campaigns.find({ id })).dmsSentCount, { timeout: 120_000 }).toBe(1)

    await page.goto(`/campaigns/${id}`)
    await page.getByRole('link', { name: 'Edit messages' }).click()
    await page.getByLabel('Follow-up', { exact: true }).fill('Much later')
    await page.getByText('This reaches 3 people.').waitFor()
    await expectSoundBothWays(page)
    await button(page, 'Save messages').click()
    await page.getByText('Messages saved.').waitFor()

    await page.getByRole('link', { name: 'Edit messages' }).click()
    await page.getByLabel('Message template').fill('Hello')
    await page.getByLabel("Only people who haven't been sent anything").check()
    await page.getByText('This reaches 2 people.').waitFor()
    // Someone else saves first: nothing is lost.
    const { version, steps } = await client.sequences.find({ id })
    const theirs = steps.map(({ number, variants, delay, condition, ...step }) => ({
      ...step,
      ...(number > 1 && { delay, condition }),
      variants: variants.map(({ isFrozen, ...variant }) => ({
        ...variant,
        messageTemplate: number > 1 ? 'Theirs' : variant.messageTemplate,
      })),
    }))
    await client.sequences.save({ id, version, steps: theirs })
    world.expectConsole(/status of 409/)
    await button(page, 'Save messages').click()
    await page.getByText('Someone else has changed these messages').waitFor()
    expect(await page.getByLabel('Message template').inputValue()).toBe('Hello')
    await button(page, 'Load their version').click()
    await expect.poll(() => page.getByLabel('Follow-up', { exact: true }).inputValue()).toBe('Theirs')
    await button(page, 'Undo').click()
    await expect.poll(() => page.getByLabel('Message template').inputValue()).toBe('Hello')
    await button(page, 'Save messages').click()
    await page.getByText('Messages saved.').last().waitFor()
    const { dms } = await client.campaigns.dms({ id })
    expect(dms.map(({ status, message }) => `${status}: ${message}`).sort()).toEqual([
      'queued: Hello',
      'queued: Hello',
      'sent: Hi',
    ])
  })

  it('says why a browser without reply detection cannot send follow-ups', async () => {
    const email = 'no-detection@example.com'
    const [page, signedUp] = await Promise.all([world.openPage(), signUp(world, email)])
    await world.subscribe(email)
    await signedUp.enter(page)
    const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => signedUp.token } })
    const leadListId = await makeList({ page, client, token: signedUp.token }, 'Founders', ['open_n1'])
    const steps = [textOf('Hi'), { ...textOf('Later'), delay: MINUTE }]
    await client.campaigns.create({ name: 'By browser', leadListId, steps, channel: 'extension', status: 'draft' })
    await page.goto('/campaigns')
    world.expectConsole(/status of 409/)
    await page
      .getByRole('row', { name: /^By browser/ })
      .getByRole('button', { name: 'Launch' })
      .click()
    await page.getByText(/^Failed to launch campaign or queue DMs: .*repl/).waitFor()
  })
})
