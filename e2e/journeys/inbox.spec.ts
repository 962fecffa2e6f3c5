import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  importLeads,
  linkInMail,
  messagesAtX,
  openWorld,
  signIn,
  signUp,
  type World,
  writeAs,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

interface Person {
  page: Page
  client: Client
  handle: string
}

/** Creates a user whose leads have written these texts, by handle. */
async function enter(handle: string, texts: Record<string, string>): Promise<Person> {
  const signedUp = await signUp(world, `${handle}@example.com`)
  const { token } = signedUp
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: handle, password: 'any eight or more' })
  const [account] = (await client.xAccount.list({})).accounts
  await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: false })
  const handles = Object.keys(texts)
  await importLeads(world, token, ['twitter_handle,name', ...handles.map((lead) => `${lead},Name of ${lead}`)])
  // Only messages written after X starts reporting are read.
  await expect.poll(async () => (await client.replies.detection()).state).toBe('live')
  for (const lead of handles) await writeAs(world.x, lead, handle, texts[lead] ?? '')
  await expect
    .poll(async () => (await client.conversations.list({})).conversations.length, { timeout: 120_000 })
    .toBe(handles.length)
  const page = await world.openPage()
  await signedUp.enter(page)
  return { page, client, handle }
}

const rows = (page: Page) => page.locator('[data-conversation]')
const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply' })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })

describe('the inbox', () => {
  it('declines someone who wrote first, and undoes it', async () => {
    const { page, client } = await enter('declining', { open_known: 'مرحبا، '.repeat(30) })
    const [account] = (await client.xAccount.list({})).accounts
    await client.xAccount.consent({ id: account?.id ?? '', storesConversations: true, offersUnknownSenders: true })
    await writeAs(world.x, 'open_stranger', 'declining', 'Hi there')
    await page.goto('/inbox')
    // The list shows the beginning of a right-to-left text.
    const beginning = await page.getByText('مرحبا').evaluate((text) => {
      const first = document.createRange()
      first.setStart(text.firstChild ?? text, 0)
      first.setEnd(text.firstChild ?? text, 1)
      return first.getBoundingClientRect().right
    })
    expect(beginning).toBeLessThan(
      (
        await rows(page)
          .first()
          .evaluate((row) => row.getBoundingClientRect())
      ).right,
    )
    const decline = page.getByRole('button', { name: 'Decline @open_stranger' })
    await decline.click({ timeout: 120_000 })
    await page.getByText('@open_stranger declined').waitFor()
    await decline.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await decline.waitFor()
    expect((await client.conversationOffers.list({})).offers).toHaveLength(1)

    // A reply that is too long is not truncated, and cannot be sent.
    await rows(page).first().getByRole('link').click()
    await reply(page).fill('x'.repeat(10_001))
    await page.getByText('X accepts at most 10,000 characters.').waitFor()
    expect(await page.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true)

    // A note that is too long is not truncated either. Saving a note keeps the focus nearby.
    await page.getByRole('button', { name: 'Add a note' }).press('Enter')
    const note = page.getByLabel('Note', { exact: true })
    await note.fill('x'.repeat(10_001))
    await page.getByText('At most 10,000 characters.', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Save note' }).isDisabled()).toBe(true)
    await note.fill('Wants a demo')
    await note.press('Control+Enter')
    await page.getByRole('listitem').getByText('Wants a demo').waitFor()
    await note.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.matches('body, main'))).toBe(false)
  })

  it('labels, snoozes and finishes ten replies by keyboard alone', async () => {
    const texts = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`open_t${index}`, `Reply ${index}`]))
    const { page, client } = await enter('triage', texts)
    await page.goto('/inbox')
    await expect.poll(() => rows(page).count(), { timeout: 120_000 }).toBe(10)
    const { keyboard } = page
    // A key acts on the conversation that the previous key opened, however fast it follows.
    await keyboard.press('j')
    await page.getByRole('log').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /^Conversation with / })
      .waitFor()
    for (const key of ['j', '2', 'k']) await keyboard.press(key)
    const { conversations: listed } = await client.conversations.list({})
    await expect
      .poll(async () => (await client.conversations.list({ label: 'meeting' })).conversations.map(({ id }) => id))
      .toEqual([listed[1]?.id])
    for (let left = 10; left > 0; left -= 1) {
      await page.locator(`[data-conversation] [aria-current=true]`).waitFor()
      await page.getByRole('log').waitFor()
      await keyboard.press('1')
      if (left === 1) {
        await keyboard.press('h')
        await page.getByRole('dialog', { name: 'Snooze' }).getByText('Tomorrow').waitFor()
        await keyboard.press('Enter')
      } else await keyboard.press('e')
      await expect.poll(() => rows(page).count()).toBe(left - 1)
    }
    await page.getByText('All done').waitFor()
    await expect.poll(async () => (await client.conversations.list({ status: 'done' })).conversations.length).toBe(9)
    // The last label and the snooze are two calls, which may finish in any order.
    await expect
      .poll(async () => (await client.conversations.list({ label: 'interested' })).conversations.length)
      .toBe(10)
    const { counts } = await client.conversations.list({})
    expect(counts).toEqual({ open: 0, unread: 0, snoozed: 1 })
    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  it('types each answer into the box of its conversation, however slow the server is', async () => {
    const texts = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`open_k${index}`, `Reply ${index}`]))
    const { page, client } = await enter('typist', texts)
    const { keyboard } = page
    await page.goto('/inbox')
    await expect.poll(() => rows(page).count(), { timeout: 120_000 }).toBe(6)
    const { conversations } = await client.conversations.list({})
    await client.conversations.saveDraft({ id: conversations[2]?.id ?? '', text: 'Begun' })
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    let latencyMs = 0
    await page.route('**/api/conversations/*', async (route) => {
      await wait(latencyMs)
      await route.continue().catch(() => {})
    })
    // Letters and digits that are shortcuts in the inbox.
    const typed = (index: number) => `hex ajk 1${index} /?`
    const runs = [
      { keyMs: 20, latencyMs: 2_000 },
      { keyMs: 20, latencyMs: 0 },
      { keyMs: 60, latencyMs: 500 },
      { keyMs: 200, latencyMs: 1_000 },
      { keyMs: 20, latencyMs: 300 },
      { keyMs: 40, latencyMs: 2_000 },
    ]
    for (const [index, run] of runs.entries()) {
      latencyMs = run.latencyMs
      await keyboard.press('j', { delay: run.keyMs })
      await keyboard.press('r', { delay: run.keyMs })
      await keyboard.type(typed(index), { delay: run.keyMs })
      await keyboard.press('Escape', { delay: run.keyMs })
    }
    // Go back to the first conversation. The page may not have loaded its draft yet.
    for (const key of ['k', 'k', 'k', 'k', 'k', 'r']) await keyboard.press(key, { delay: 20 })
    await keyboard.type('!', { delay: 20 })
    await keyboard.press('Escape')
    latencyMs = 0
    const drafts = () =>
      Promise.all(conversations.map(async ({ id }) => (await client.conversations.find({ id })).draft?.text))
    await expect
      .poll(drafts, { timeout: 20_000, interval: 2_000 })
      .toEqual(runs.map((_, index) => `${index === 2 ? 'Begun\n' : ''}${typed(index)}${index === 0 ? '\n!' : ''}`))
    const facts = (list: typeof conversations) => list.map(({ id, label, status }) => [id, label, status])
    expect(facts((await client.conversations.list({})).conversations)).toEqual(facts(conversations))
    expect((await client.conversations.list({})).counts.open).toBe(6)
  })

  it('sends and opens the next person who waits, however slow the server is', async () => {
    const texts = { open_n1: 'How much is it?', open_n2: 'No thanks', open_n3: 'Tell me more', open_n4: 'What is it?' }
    const { page, client, handle } = await enter('nexter', texts)
    const { conversations } = await client.conversations.list({})
    const waiting = conversations.filter(({ lead }) => lead.twitterHandle !== 'open_n2')
    const { keyboard } = page
    let latencyMs = 2_000
    const delay = () => new Promise((resolve) => setTimeout(resolve, latencyMs))
    await page.route('**/api/conversations/*', async (route) => {
      await delay()
      await route.continue().catch(() => {})
    })
    const sent = async () =>
      (await messagesAtX(world.x)).flatMap(({ from, to, text }) => (from === handle ? [`${to}: ${text}`] : []))
    await page.goto('/inbox')
    await rows(page).first().waitFor()
    while ((await page.getByRole('region', { name: 'Conversation', exact: true }).count()) === 0)
      await keyboard.press('j')
    const [first, second, third] = waiting.map(({ lead }) => lead)
    const place = conversations.findIndex(({ id }) => id === waiting[0]?.id)
    for (let index = 0; index < place; index += 1) await keyboard.press('j')

    // The draft has not loaded yet. What is typed next is not added to this answer.
    await keyboard.press('r')
    await keyboard.type('One')
    await keyboard.press('Control+Enter')
    await page.getByText('Sent once the conversation has loaded.').waitFor()
    await keyboard.type('hej 12')
    await heading(page, second?.name ?? '').waitFor()
    await expect.poll(() => reply(page).evaluate((box) => box === document.activeElement)).toBe(true)
    latencyMs = 300
    await keyboard.type('Two')
    await keyboard.press('Control+Enter')
    await heading(page, third?.name ?? '').waitFor()

    // An answer that fails after its box has closed becomes a draft again.
    await page.route(`**/api/conversations/${waiting[2]?.id}/messages`, (route) => route.abort(), { times: 1 })
    world.expectConsole(/ERR_FAILED/)
    await expect.poll(sent).toHaveLength(2)
    await writeAs(world.x, first?.twitterHandle ?? '', handle, 'One more question?')
    await rows(page).getByText('One more question?').waitFor()
    await keyboard.type('Three')
    await keyboard.press('Control+Enter')
    await heading(page, first?.name ?? '').waitFor()
    const failure = page.locator('.Toastify__toast', { hasText: 'It is unknown whether this was sent' })
    await failure.getByRole('button', { name: 'Open' }).click()
    await heading(page, third?.name ?? '').waitFor()
    await expect.poll(() => reply(page).inputValue()).toBe('Three')
    await reply(page).press('Control+Enter')
    await heading(page, first?.name ?? '').waitFor()
    await page.getByRole('log').getByText('One more question?').waitFor()
    await keyboard.type('Four')
    await keyboard.press('Control+Enter')
    await page.getByText('Nobody else is waiting for your answer.').waitFor()
    await expect
      .poll(sent)
      .toEqual([
        `${first?.twitterHandle}: One`,
        `${second?.twitterHandle}: Two`,
        `${third?.twitterHandle}: Three`,
        `${first?.twitterHandle}: Four`,
      ])
    const drafts = await Promise.all(
      conversations.map(async ({ id }) => (await client.conversations.find({ id })).draft),
    )
    expect(drafts).toEqual([null, null, null, null])
  })

  it('sends an answer that was typed before the conversations had loaded', async () => {
    const { page, client, handle } = await enter('earlysend', { open_o1: 'How much is it?', open_o2: 'Tell me more' })
    const { conversations } = await client.conversations.list({})
    const [first, second] = conversations
    const release = await holdList(page)
    await page.goto(`/inbox/${first?.id}`)
    await page.getByRole('log').waitFor()
    const { keyboard } = page
    await keyboard.press('j')
    await page.getByText('J, K and answers wait for them.').waitFor()
    await keyboard.press('r')
    await keyboard.type('For the second')
    await keyboard.press('Control+Enter')
    // The next person is not known yet, so these keys go nowhere.
    await keyboard.type('rhej 12')
    await release()
    await expect
      .poll(async () => (await messagesAtX(world.x)).filter(({ from }) => from === handle))
      .toMatchObject([{ to: second?.lead.twitterHandle, text: 'For the second' }])
    await heading(page, first?.lead.name ?? '').waitFor()
    const facts = (list: typeof conversations) => list.map(({ id, label, status }) => [id, label, status]).sort()
    expect(facts((await client.conversations.list({})).conversations)).toEqual(facts(conversations))
  })

  /** Holds back the list of conversations. @returns a function that releases it */
  async function holdList(page: Page): Promise<() => Promise<void>> {
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const isList = (url: URL) => url.pathname === '/api/conversations'
    await page.route(isList, async (route) => {
      await isReleased
      await route.continue().catch(() => {})
    })
    return async () => {
      release()
      await page.unroute(isList)
    }
  }

  it('refuses keys before the conversations have loaded, and says so', async () => {
    const { page, client } = await enter('early', { open_e1: 'First', open_e2: 'Second' })
    const { conversations } = await client.conversations.list({})
    const release = await holdList(page)
    await page.goto('/inbox')
    const { keyboard } = page
    const held = page.getByText('Your conversations are still loading. J, K and answers wait for them.')
    await expect
      .poll(async () => {
        await keyboard.press('j')
        return held.count()
      })
      .toBe(1)
    await keyboard.type('hex ajk 1 /?')
    await page.getByText('Your conversations are still loading. Press Esc to use shortcuts again.').waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await release()
    await page.getByText('Your conversations have loaded. Press Esc to use shortcuts again.').waitFor()
    await keyboard.type('jejx')
    expect((await client.conversations.list({})).conversations.map(({ label, status }) => [label, status])).toEqual(
      conversations.map(({ label, status }) => [label, status]),
    )
    await keyboard.press('Escape')
    await keyboard.press('j')
    await page.getByRole('log').waitFor()
  })

  it('keeps J, R and answers until the conversations have loaded, also over a reload', async () => {
    const texts = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`open_l${index}`, `Reply ${index}`]))
    const { page, client } = await enter('slowlist', texts)
    const { conversations } = await client.conversations.list({})
    const ids = conversations.map(({ id }) => id)
    const { keyboard } = page
    const drafts = () => Promise.all(ids.map(async (id) => (await client.conversations.find({ id })).draft?.text))
    let release = await holdList(page)
    await page.goto(`/inbox/${ids[0]}`)
    await page
      .getByRole('log')
      .getByText(conversations[0]?.lastMessage.text ?? '')
      .waitFor()
    const waiting = page.getByText('J, K and answers wait for them. Press Esc to cancel.')
    await keyboard.press('j')
    await waiting.waitFor()
    await keyboard.press('r')
    await keyboard.type('hej 1')
    await keyboard.press('Escape')
    for (const key of ['j', 'j', 'k', 'r']) await keyboard.press(key)
    await keyboard.type('ajx ')
    await release()
    await waiting.waitFor({ state: 'detached' })
    await keyboard.type('more')
    await expect.poll(drafts, { timeout: 20_000 }).toEqual([undefined, 'hej 1', 'ajx more', undefined])
    // Once the list has arrived, shortcuts work as usual.
    await keyboard.press('Escape')
    await keyboard.press('j')
    await heading(page, conversations[3]?.lead.name ?? '').waitFor()

    // A reload right after typing keeps the draft, whether its recipient is already known or not.
    release = await holdList(page)
    await page.goto(`/inbox/${ids[0]}`)
    await page
      .getByRole('log')
      .getByText(conversations[0]?.lastMessage.text ?? '')
      .waitFor()
    for (const key of ['j', 'j', 'j', 'r']) await keyboard.press(key)
    await keyboard.type('later')
    await page.reload()
    await page.getByText('J · J · J · R later').waitFor()
    await release()
    await expect.poll(drafts, { timeout: 20_000 }).toEqual([undefined, 'hej 1', 'ajx more', 'later'])
    let isHeld = true
    await page.route(`**/api/conversations/${ids[0]}`, (route) => (isHeld ? undefined : route.continue()))
    await page.goto(`/inbox/${ids[0]}`)
    await reply(page).waitFor()
    await keyboard.press('r')
    await keyboard.type('at once')
    await page.reload()
    await expect.poll(() => reply(page).inputValue(), { timeout: 120_000 }).toBe('at once')
    isHeld = false
    await page.reload()
    await expect.poll(drafts, { timeout: 20_000 }).toEqual(['at once', 'hej 1', 'ajx more', 'later'])
    // The text is not added a second time.
    await page.reload()
    await page.getByRole('log').waitFor()
    expect(await reply(page).inputValue()).toBe('at once')
  })

  it('types nothing where nobody can answer, and can turn single keys off', async () => {
    const { page, client } = await enter('mute', { open_m1: 'First', open_m2: 'Second' })
    const { conversations } = await client.conversations.list({})
    const [top] = conversations
    await client.suppressions.create({ leadIds: [top?.lead.id ?? ''], reason: 'manual' })
    await page.goto('/inbox')
    await rows(page).first().waitFor()
    const { keyboard } = page
    await keyboard.press('j')
    await page.getByText('On your suppression list').waitFor()
    await keyboard.press('r')
    await page.getByText("You can't reply here, so keys do nothing. Press Esc to use shortcuts again.").waitFor()
    await keyboard.type('hex ajk 12 /?')
    await heading(page, `Name of ${top?.lead.twitterHandle}`).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const facts = async () =>
      (await client.conversations.list({})).conversations.map(({ label, status }) => [label, status])
    expect(await facts()).toEqual(conversations.map(({ label, status }) => [label, status]))
    await expectSoundBothWays(page)
    await keyboard.press('Escape')
    // Undo reverts a changed label and reopens a closed conversation.
    for (const [key, text] of [
      ['7', 'Labeled '],
      ['e', ': done'],
    ] as const) {
      await keyboard.press(key)
      const done = page.locator('.Toastify__toast', { hasText: text })
      await done.getByRole('button', { name: /^Undo/ }).click()
    }
    await expect.poll(facts).toEqual(conversations.map(({ label, status }) => [label, status]))

    await keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByRole('switch', { name: 'Single-key shortcuts' }).click()
    await expectSoundPage(page)
    await keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    for (const key of ['e', 'j', 'x', '?']) await keyboard.press(key)
    await page.reload()
    await heading(page, `Name of ${top?.lead.twitterHandle}`).waitFor()
    for (const key of ['e', 'j', 'x', '?']) await keyboard.press(key)
    expect(await dialog.count()).toBe(0)
    await heading(page, `Name of ${top?.lead.twitterHandle}`).waitFor()
    expect(await facts()).toEqual(conversations.map(({ label, status }) => [label, status]))
  })

  it('brings a finished conversation back by Undo, and finds it by its text', async () => {
    const { page, client } = await enter('undoer', { open_u1: 'First things first', open_u2: 'Second thoughts' })
    await page.goto('/inbox')
    await rows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('first things')
    await expect.poll(() => rows(page).count()).toBe(1)
    await rows(page).getByRole('link').click()
    await heading(page, 'Name of open_u1').waitFor()
    await page.getByRole('button', { name: 'Done', exact: true }).last().click()
    await expect.poll(async () => (await client.conversations.list({ status: 'done' })).conversations.length).toBe(1)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect.poll(async () => (await client.conversations.list({ status: 'open' })).conversations.length).toBe(2)
    await heading(page, 'Name of open_u1').waitFor()

    // Undo restores the label, and the confidence of the automatic label.
    const first = async () => (await client.conversations.list({ q: 'open_u1' })).conversations[0]
    const before = await first()
    await page.keyboard.press('2')
    await expect.poll(async () => (await first())?.label).toBe('meeting')
    await page.keyboard.press('1')
    await expect.poll(async () => (await first())?.label).toBe('interested')
    // The earlier change can be undone after the later one. Their toasts may still be animating.
    for (const text of ['Labeled Interested', 'Labeled Meeting']) {
      const labeled = page.locator('.Toastify__toast', { hasText: text })
      await labeled.getByRole('button', { name: /^Undo/ }).click()
    }
    await expect.poll(first).toMatchObject({ label: before?.label, confidence: before?.confidence })
  })

  it('brings conversations back that were finished offline, and says so', async () => {
    const { page } = await enter('offline', { open_o1: 'One', open_o2: 'Two', open_o3: 'Three' })
    await page.goto('/inbox')
    await expect.poll(() => rows(page).count()).toBe(3)
    const ids = () => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-conversation')))
    const before = await ids()
    await page.keyboard.press('j')
    await page.getByRole('log').waitFor()
    world.expectConsole(/Failed to load resource/)
    await page.context().setOffline(true)
    await page.keyboard.press('e')
    await page.keyboard.press('e')
    await page.locator('.Toastify__toast--error').first().waitFor()
    await expect.poll(ids).toEqual(before)
    await page.context().setOffline(false)
  })

  it('offers the person whom a referral names as a lead', async () => {
    const { page, client } = await enter('referred', { open_r1: 'Not me, @open_daniel runs growth at our place.' })
    await page.goto('/inbox')
    await rows(page).getByRole('link').click()
    await page.getByRole('log').waitFor()
    await page.keyboard.press('5')
    await page.getByText('They named @open_daniel. Add this person as a lead?').waitFor()
    await page.getByRole('button', { name: 'Add as lead' }).click()
    await page.getByText('@open_daniel is a lead now.').waitFor()
    expect((await client.leads.list({ keyword: 'open_daniel' })).total).toBe(1)
  })

  it('reads on a phone, with a name for everything', async () => {
    const { page } = await enter('phone', { open_p1: 'Tell me more', open_p2: 'Who are you?' })
    await page.goto('/inbox')
    await rows(page).first().waitFor()
    await expectSoundBothWays(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await rows(page)
      .getByRole('link', { name: /open_p1/ })
      .click()
    await heading(page, 'Name of open_p1').waitFor()
    await page.getByText('Tell me more').last().waitFor()
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Details' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Question/ })
      .click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Label: Question' }).waitFor()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await rows(page).first().waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/inbox')
    await page.setViewportSize({ width: 1280, height: 900 })
    await rows(page)
      .getByRole('link', { name: /open_p1/ })
      .click()
    await page.getByRole('group', { name: 'Label' }).waitFor()
    await expectSoundBothWays(page)
  })

  it('sends an answer, keeps a draft, and shows what someone else has said first', async () => {
    const { page, client, handle } = await enter('answers', { open_a1: 'How much is it?' })
    const [conversation] = (await client.conversations.list({})).conversations
    const id = conversation?.id ?? ''
    await page.goto(`/inbox/${id}`)
    await page.getByRole('log').getByText('How much is it?').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('It is $39')
    await page.reload()
    await expect.poll(async () => (await client.conversations.find({ id })).draft?.text).toBe('It is $39')
    await expect.poll(() => reply(page).inputValue(), { timeout: 120_000 }).toBe('It is $39')
    // Nothing can be sent before the conversation has loaded.
    await page.getByRole('log').getByText('How much is it?').waitFor()
    await reply(page).press('Control+Enter')
    await page.getByRole('log').getByText(/Sent$/).waitFor()
    expect(await reply(page).inputValue()).toBe('')
    const sent = () => messagesAtX(world.x).then((all) => all.filter(({ from }) => from === handle))
    expect((await sent()).map(({ text }) => text)).toEqual(['It is $39'])
    expect((await client.conversations.find({ id })).draft).toBeNull()

    // The response to the sent message is lost. Sending the same text again repeats the call.
    await page.route(
      `**/api/conversations/${id}/messages`,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    world.expectConsole(/ERR_FAILED/)
    await reply(page).fill('Once only')
    await reply(page).press('Control+Enter')
    await page.getByText('It is unknown whether this was sent').waitFor()
    await reply(page).press('Control+Enter')
    await page.getByText('It is unknown whether this was sent').waitFor({ state: 'detached' })
    expect((await sent()).map(({ text }) => text)).toEqual(['It is $39', 'Once only'])

    // The page learns that someone else has answered only when it sends its own answer.
    const before = await client.conversations.find({ id })
    await page.route(`**/api/conversations/${id}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json: before }) : route.fallback(),
    )
    await page.reload()
    await page.getByRole('log').getByText('It is $39').waitFor()
    await client.conversations.answer({
      id,
      text: 'And a month is free.',
      afterMessageId: before.messages[0]?.id ?? '',
    })
    await reply(page).fill('No contract.')
    world.expectConsole(/409/)
    await reply(page).press('Control+Enter')
    await page.getByText('Not sent: the conversation has changed').waitFor()
    await page.getByRole('status').getByText('And a month is free.').waitFor()
    expect(await reply(page).inputValue()).toBe('No contract.')
    await page.unroute(`**/api/conversations/${id}`)
    await page.reload()
    await page.getByRole('log').getByText('And a month is free.').waitFor()
    await reply(page).fill('No contract.')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(sent).toHaveLength(4)
    await expectSoundBothWays(page)

    // The same text, sent again, is shown while the request is pending.
    await page.route(`**/api/conversations/${id}/messages`, () => {})
    await reply(page).fill('No contract.')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => page.getByRole('log').getByText('No contract.', { exact: true }).count()).toBe(2)
  })

  it('changes several conversations at a time, by keyboard and on a phone, and undoes it', async () => {
    const texts = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`open_m${index}`, `Reply ${index}`]))
    const { page, client } = await enter('several', texts)
    await page.goto('/inbox')
    await expect.poll(() => rows(page).count(), { timeout: 120_000 }).toBe(5)
    const { keyboard } = page
    const bar = page.getByRole('region', { name: 'Selected conversations' })
    const undo = page.getByRole('button', { name: /^Undo/ })
    const labels = async () => (await client.conversations.list({})).conversations.map(({ label }) => label)
    const before = await labels()
    const openRow = async (index: number, presses = 1) => {
      for (let press = 0; press < presses; press += 1) await keyboard.press('j')
      await rows(page).nth(index).locator('[aria-current=true]').waitFor()
    }
    await openRow(0)
    await keyboard.press('x')
    // Both keys are pressed before the first conversation is open.
    await openRow(2, 2)
    await keyboard.press('Shift+X')
    await bar.getByText('3 selected').waitFor()
    await expectSoundBothWays(page)
    await keyboard.press('5')
    await page.getByText('Labeled 3 conversations Referral').waitFor()
    expect((await labels()).filter((label) => label === 'referral')).toHaveLength(3)
    await undo.click()
    await expect.poll(labels).toEqual(before)

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/inbox')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await rows(page).first().click()
    await bar.getByText('1 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 5' }).click()
    await expectSoundPage(page)
    await bar.getByRole('button', { name: 'Done', exact: true }).click()
    await page.getByText('Marked 5 conversations as done').waitFor()
    await page.getByText('All done').waitFor()
    expect((await client.conversations.list({})).counts).toMatchObject({ open: 0, unread: 0 })
    await undo.click()
    await expect.poll(() => rows(page).count()).toBe(5)
  })

  it('snoozes until a day in words, and brings the conversation back at its time', async () => {
    const { page, client } = await enter('snoozer', { open_s1: 'Tell me more' })
    await page.goto('/inbox')
    await rows(page).getByRole('link').click()
    await page.getByRole('log').waitFor()
    await page.keyboard.press('h')
    const menu = page.getByRole('dialog', { name: 'Snooze' })
    await menu.getByRole('textbox', { name: 'When, in words' }).fill('in 3 weeks')
    await menu.locator('button[type=submit]').waitFor()
    await page.keyboard.press('Enter')
    const only = async () => (await client.conversations.list({})).conversations[0]
    await expect.poll(async () => (await only())?.status).toBe('snoozed')
    const morning = new Date()
    morning.setDate(morning.getDate() + 21)
    morning.setHours(9, 0, 0, 0)
    expect((await only())?.snoozedUntil).toBe(morning.toISOString())
    await page.getByText('All done').waitFor()

    const id = (await only())?.id ?? ''
    const snoozedUntil = new Date(Date.now() + 1_000).toISOString()
    await client.conversations.update({ id, status: 'snoozed', snoozedUntil })
    const end = async () => {
      await world.runJob('end-snoozes')
      return (await only())?.status
    }
    await expect.poll(end, { interval: 500 }).toBe('open')
    await rows(page).getByText('Tell me more').waitFor()
  })

  it('sends one of two simultaneous answers by two members, and shows it to the other', async () => {
    const { page, client, handle } = await enter('pair', { open_b1: 'Which plan do I need?' })
    await world.subscribe('pair@example.com')
    const theirs = await world.openPage()
    await (await signUp(world, 'partner@example.com')).enter(theirs)
    await client.people.invite({ email: 'partner@example.com', role: 'member' })
    await theirs.goto(await linkInMail(world.mailbox, 'partner@example.com', /^Join/))
    await theirs.getByRole('button', { name: /^Join/ }).click()
    await theirs.waitForURL('**/dashboard')
    const [conversation] = (await client.conversations.list({})).conversations
    const pages = [page, theirs]
    for (const tab of pages) {
      await tab.goto(`/inbox/${conversation?.id}`)
      await tab.getByRole('log').getByText('Which plan do I need?').waitFor()
    }
    await reply(page).fill('Starter will do.')
    await reply(theirs).fill('Take Growth.')
    world.expectConsole(/409/)
    await Promise.all(pages.map((tab) => reply(tab).press('Control+Enter')))
    const refused = (tab: Page) => tab.getByText('Not sent: the conversation has changed').isVisible()
    await expect.poll(async () => (await Promise.all(pages.map(refused))).filter(Boolean)).toHaveLength(1)
    const sent = async () => (await messagesAtX(world.x)).filter(({ from }) => from === handle).map(({ text }) => text)
    const [first = ''] = await sent()
    expect(await sent()).toEqual([first])
    const loser = (await refused(page)) ? page : theirs
    await loser.getByRole('status').getByText(first).waitFor()
    await loser.getByRole('log').getByText(first).waitFor()
    const draft = await reply(loser).inputValue()
    await reply(loser).press('Control+Enter')
    await expect.poll(sent).toEqual([first, draft])
    // If a message arrives while someone is typing, their answer is not sent before they have seen it.
    for (const tab of pages) {
      await tab.getByRole('log').getByText(draft).waitFor()
      await tab.locator('button:disabled:not([aria-busy])', { hasText: 'Send' }).waitFor()
    }
    await reply(page).fill('Anything else?')
    await reply(theirs).fill('Ask me anything.')
    await reply(theirs).press('Control+Enter')
    await page.getByRole('log').getByText('Ask me anything.').waitFor()
    await reply(page).press('Control+Enter')
    await page.getByText('Not sent: the conversation has changed').waitFor()
    expect(await sent()).toEqual([first, draft, 'Ask me anything.'])
    await reply(page).press('Control+Enter')
    await expect.poll(sent).toEqual([first, draft, 'Ask me anything.', 'Anything else?'])
  })

  it('fills a snippet that a slash inserts, and asks for what the lead does not have', async () => {
    const { page, client, handle } = await enter('snippets', { open_n1: 'How much is it?' })
    await client.snippets.create({ shortcut: 'price', text: '{lead_name}, for {company} it is $39.' })
    await page.goto('/inbox')
    await rows(page).getByRole('link').click()
    await reply(page).click()
    await page.keyboard.type('/pri')
    await page.getByRole('option', { name: /^\/price/ }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => reply(page).inputValue()).toBe('Name of open_n1, for {company} it is $39.')
    await page.getByText('No value for {company}').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    await expectSoundBothWays(page)
    await reply(page).fill('For you it is $39. ')
    await page.getByRole('button', { name: 'Emoji' }).click()
    await page.getByRole('button', { name: 'thumbs up' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => reply(page).inputValue()).toBe('For you it is $39. 👌')
    await reply(page).press('Control+Enter')
    await page.getByRole('log').getByText(/Sent$/).waitFor()
    expect((await messagesAtX(world.x)).filter(({ from }) => from === handle)).toMatchObject([
      { text: 'For you it is $39. 👌' },
    ])
    await reply(page).fill('Our template says {company}')
    await page.getByRole('button', { name: 'Keep as written' }).click()
    await reply(page).press('Control+Enter')
    await expect
      .poll(async () => (await messagesAtX(world.x)).filter(({ from }) => from === handle).map(({ text }) => text))
      .toEqual(['For you it is $39. 👌', 'Our template says {company}'])
  })

  it('answers a reply that stopped a follow-up of the extension', async () => {
    const { page, client, handle } = await enter('extended', { open_x0: 'Hello there' })
    await world.subscribe('extended@example.com')
    const { leads } = await client.leads.list({})
    const list = await client.lists.create({ name: 'Founders' })
    await client.lists.addLeads({ id: list.id, leadIds: leads.map(({ id }) => id) })
    const steps = ['First', 'Second'].map((messageTemplate, index) => ({
      variants: [{ messageTemplate }],
      ...(index > 0 && { delay: { amount: 1, unit: 'minutes' as const } }),
    }))
    const { id } = await client.campaigns.create({
      name: 'By browser',
      leadListId: list.id,
      steps,
      channel: 'extension',
      status: 'draft',
    })
    await client.campaigns.queue({ id })
    const claimed = await client.campaigns.claim({ id, holder: 'journey' })
    if (claimed.status !== 200) throw new Error('nothing to send')
    await writeAs(world.x, handle, 'open_x0', claimed.body.message)
    await client.campaigns.recordOutcome({ id: claimed.body.dmId, lease: claimed.body.lease, wasSent: true })
    await writeAs(world.x, 'open_x0', handle, 'Tell me more')
    await page.goto('/inbox')
    await rows(page).getByText('Tell me more').waitFor()
    const states = async () => (await client.enrollments.list({ id })).enrollments.map(({ state }) => state)
    await expect.poll(states).toEqual(['replied'])
    await rows(page).getByRole('link').click()
    await page.getByText(/follow-ups stopped$/).waitFor()
    await reply(page).fill('With pleasure')
    await reply(page).press('Control+Enter')
    await expect
      .poll(async () => (await messagesAtX(world.x)).filter(({ from }) => from === handle).map(({ text }) => text))
      .toEqual(['First', 'With pleasure'])
  })

  it('answers beyond the daily cap of the workspace', async () => {
    const { page, client, handle } = await enter('capped', { open_c1: 'Tell me more', open_c2: 'Me too' })
    const [account] = (await client.sendingSettings.find({})).accounts
    if (!account) throw new Error('no account')
    const { xAccountId, timeZone, workDays, hours, warmUp, pauseSeconds } = account
    await client.sendingSettings.saveLimits({
      xAccountId,
      timeZone,
      workDays,
      hours,
      warmUp,
      pauseSeconds,
      dailyCap: 1,
    })
    await page.goto('/inbox')
    await rows(page).first().waitFor()
    // A reply that is sent before the conversation has loaded goes out once it has loaded.
    await page.route('**/api/conversations/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue().catch(() => {})
    })
    const sent = async () => (await messagesAtX(world.x)).filter(({ from }) => from === handle)
    for (const [index, name] of ['open_c1', 'open_c2'].entries()) {
      await rows(page)
        .getByRole('link', { name: new RegExp(name) })
        .click()
      await heading(page, `Name of ${name}`).waitFor()
      await reply(page).fill('Here it is')
      await reply(page).press('Control+Enter')
      await expect.poll(sent).toHaveLength(index + 1)
    }
  })

  it('lets an opt-out win over a corrected label', async () => {
    const { page, handle } = await enter('optedout', { open_o1: 'Sounds interesting' })
    await page.goto('/inbox')
    await rows(page).getByRole('link').click()
    await page.getByRole('log').waitFor()
    await page.keyboard.press('2')
    await page.getByText('Labeled Meeting').waitFor()
    await writeAs(world.x, 'open_o1', handle, 'Please stop messaging me. Unsubscribe')
    await page.getByText('On your suppression list').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Opted out/ }).getAttribute('aria-pressed')).toBe('true')
    expect(await reply(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove from list' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove from list' }).click()
    await page.getByText('@open_o1 can be messaged again').waitFor()
    await reply(page).waitFor()
  })

  it('shows viewers that they have no inbox', async () => {
    await signUp(world, 'looker@example.com')
    await world.setRole('looker@example.com', 'viewer')
    const page = await world.openPage()
    await (await signIn(world, 'looker@example.com')).enter(page)
    await page.goto('/inbox')
    await page.getByText('Viewers have no inbox').waitFor()
    expect(await page.getByRole('link', { name: 'Inbox' }).count()).toBe(0)
    await expectSoundBothWays(page)
  })
})
