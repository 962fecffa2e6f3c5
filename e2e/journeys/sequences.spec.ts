import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundBothWays, expectSoundPage, importLeads, openWorld, signUp, type World } from '../world.ts'

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

/** Presses a key until an element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab') {
  for (let tries = 0; tries < 80; tries += 1) {
    await page.keyboard.press(key)
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
  it('writes two variants by keyboard only', async () => {
    const person = await enter('keyboard')
    const { page, client } = person
    await makeList(person, 'Founders', ['open_k1', 'open_k2'])
    await page.goto('/campaigns')
    await page.getByLabel('Select Lead List').locator('option').nth(1).waitFor({ state: 'attached' })
    const { keyboard } = page
    await tabTo(page, /^Campaign Name/)
    await keyboard.type('By keyboard')
    await tabTo(page, /^Select Lead List/)
    await keyboard.press('Enter')
    await page.getByRole('option', { name: /^Founders/ }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Select Lead List').inputValue()).not.toBe('')
    await tabTo(page, 'Add variant')
    await keyboard.press('Enter')
    // The new variant has the focus.
    await keyboard.type('Second {lead_name}')
    await page.getByRole('group', { name: 'Preview' }).getByText('Second Name of').waitFor()
    await tabTo(page, 'Variant A', 'Shift+Tab')
    await keyboard.press('Enter')
    await tabTo(page, /^Message template/)
    await keyboard.type('First {lead_name}')
    await tabTo(page, /^Test:/)
    await keyboard.press('Enter')
    await tabTo(page, 'Share of A')
    await keyboard.type('3')
    await page
      .getByRole('button', { name: 'Variant A' })
      .getByText(/^\d+%$/)
      .waitFor()
    await expectSoundBothWays(page)
    await tabTo(page, 'Save and Pause')
    await keyboard.press('Enter')
    await page.getByText('Campaign "By keyboard" saved and paused!').waitFor()
    const { campaigns } = await client.campaigns.list({})
    const { steps } = await client.sequences.find({ id: campaigns[0]?.id ?? '' })
    expect(steps.map(({ variants }) => variants.map(({ messageTemplate }) => messageTemplate))).toEqual([
      ['First {lead_name}', 'Second {lead_name}'],
    ])
  })

  it('removes a variant with undo, and shows a problem at its message', async () => {
    const person = await enter('problems')
    const { page } = person
    await makeList(person, 'Founders', ['open_p1'])
    await page.goto('/campaigns')
    await page.getByLabel('Campaign Name').fill('With a problem')
    const select = page.getByLabel('Select Lead List')
    await select.locator('option').nth(1).waitFor({ state: 'attached' })
    await select.selectOption({ index: 1 })
    const message = page.getByLabel('Message template')
    await message.fill('Hi {lead_name}')
    await button(page, 'Add variant').click()
    await message.fill('From {compny}')
    await button(page, 'More for first message').click()
    await page.getByRole('menuitem', { name: 'Remove variant B' }).click()
    await button(page, 'Variant B').waitFor({ state: 'detached' })
    await button(page, 'Undo').click()
    await expect.poll(() => message.inputValue()).toBe('From {compny}')
    await button(page, 'Variant A').click()
    world.expectConsole(/status of 400/)
    await button(page, 'Save and Pause').click()
    // The variant with the problem opens.
    await page.getByRole('alert').getByText('{compny}').waitFor()
    expect(await message.inputValue()).toBe('From {compny}')
    expect(await message.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => message.evaluate((element) => element === document.activeElement)).toBe(true)
    await message.fill('From {company|you}')
    expect(await message.getAttribute('aria-invalid')).toBeNull()
    await button(page, 'Save and Pause').click()
    await page.getByText('Campaign "With a problem" saved and paused!').waitFor()
  })

  it('says before a press that the Free plan has no variants', async () => {
    const { page } = await enter('free', { plan: 'free' })
    await page.goto('/campaigns')
    await page
      .getByText('A/B variants are part of the Agency plan. Upgrade to Agency to test several messages.')
      .waitFor()
    expect(await button(page, 'Add variant').isDisabled()).toBe(true)
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
      steps: [{ variants: ['Hi', 'Hey'].map((messageTemplate) => ({ messageTemplate })) }],
      status: 'draft',
    })
    await client.campaigns.queue({ id })
    await expect.poll(async () => (await client.campaigns.find({ id })).dmsSentCount, { timeout: 120_000 }).toBe(1)

    const messages = async () => {
      const { dms } = await client.campaigns.dms({ id })
      return dms.map(({ status, message }) => `${status}: ${message}`)
    }
    const [sent] = (await messages()).filter((message) => message.startsWith('sent'))
    await page.goto(`/campaigns/${id}`)
    const funnel = page.getByRole('table', { name: 'Funnel' })
    await funnel.getByRole('button', { name: '1 people: sent' }).waitFor()
    await page.getByRole('heading', { name: 'A/B test, first message' }).waitFor()
    await page.getByRole('listbox', { name: 'Messages of the past and the next 24 hours' }).waitFor()
    await expectSoundBothWays(page)

    // Whoever was sent nothing gets the change, by either choice.
    const message = page.getByLabel('Message template')
    const saved = page.getByText('Messages saved.')
    await page.getByRole('link', { name: 'Edit messages' }).click()
    await button(page, 'More for first message').click()
    await page.getByRole('menuitem', { name: 'Remove variant B' }).click()
    await message.fill('Hello')
    await page.getByText('This reaches 2 people.').waitFor()
    await expectSoundBothWays(page)
    await button(page, 'Save messages').click()
    await saved.waitFor()
    expect((await messages()).sort()).toEqual(['queued: Hello', 'queued: Hello', sent])
    await saved.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Edit messages' }).click()
    await message.fill('Good day')
    await page.getByLabel("Only people who haven't been sent anything").check()
    await page.getByText('This reaches 2 people.').waitFor()
    // Someone else saves first: nothing is lost.
    const { version } = await client.sequences.find({ id })
    await client.sequences.save({ id, version, steps: [textOf('Theirs')] })
    world.expectConsole(/status of 409/)
    await button(page, 'Save messages').click()
    await page.getByText('Someone else has changed these messages').waitFor()
    expect(await message.inputValue()).toBe('Good day')
    await button(page, 'Load their version').click()
    await expect.poll(() => message.inputValue()).toBe('Theirs')
    await button(page, 'Undo').last().click()
    await expect.poll(() => message.inputValue()).toBe('Good day')
    await button(page, 'Save messages').click()
    await saved.waitFor()
    expect((await messages()).sort()).toEqual(['queued: Good day', 'queued: Good day', sent])

    // One person is paused from the list behind a number.
    await button(page, 'All people').click()
    const people = page.getByRole('dialog', { name: 'People in this campaign' })
    await people
      .getByRole('button', { name: /^Pause/ })
      .first()
      .click()
    await people.getByRole('button', { name: /^Resume/ }).waitFor()
    await expectSoundPage(page)
  })
})
