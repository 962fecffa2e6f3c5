import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { createRecords, fillPath } from '../pages.ts'
import { importLeads, openWorld, PASSWORD, refuse, signUp, type World } from '../world.ts'

// Types into every form that stores its text (the names of `Form` and `FormDialog`, which
// tools/forms.ts compares with this list), reloads the page and expects the text to be there.

interface Case {
  /** The form's name. */
  name: string
  path: string
  /** Buttons and menu items that lead to the form. */
  open?: readonly (string | RegExp)[]
  /** Texts by label. */
  fields: Record<string, string>
}

const EMAIL = 'someone@elsewhere.example'

const OF_GUESTS: readonly Case[] = [
  { name: 'log-in', path: '/login', fields: { Email: EMAIL } },
  { name: 'sso', path: '/login', open: ['Continue with SSO'], fields: { 'Work email': EMAIL } },
  { name: 'sign-up', path: '/auth', fields: { Email: EMAIL } },
  { name: 'forgot-password', path: '/forgot-password', fields: { Email: EMAIL } },
  { name: 'waitlist', path: '/waitlist', fields: { Email: EMAIL } },
  { name: 'ranking', path: '/rankings', fields: { Email: EMAIL } },
]

const OF_MEMBERS: readonly Case[] = [
  { name: 'invite-next', path: '/operator', fields: { 'How many': '37' } },
  { name: 'profile', path: '/account', fields: { Name: 'Ada Byron' } },
  { name: 'email', path: '/account', fields: { 'New email address': EMAIL } },
  { name: 'passkey', path: '/account', fields: { 'Passkey name': 'Laptop' } },
  { name: 'factor-name', path: '/account', open: ['Rename Old key'], fields: { 'New name': 'New key' } },
  { name: 'connect-x', path: '/twitter', open: ['Connect another account'], fields: { Username: 'another_one' } },
  { name: 'messenger', path: '/twitter?tab=messenger', fields: { 'Message template': 'Hi {{first_name}}, hello' } },
  {
    name: 'campaign-list',
    path: '/twitter?tab=lists',
    open: ['Create New Campaign'],
    fields: { 'Campaign Name': 'Spring', 'Description (optional)': 'People we met', 'Tags (optional)': 'a, b' },
  },
  {
    name: 'find-leads',
    path: '/twitter?tab=scraper',
    fields: { 'X Handle to Scrape': 'paulg', 'Bio keyword filter': 'founder' },
  },
  { name: 'report', path: '/twitter?tab=analytics', open: ['Share report'], fields: { 'Title (optional)': 'June' } },
  {
    name: 'list',
    path: '/lists',
    open: ['Create List'],
    fields: { 'List name': 'Makers', 'Description (optional)': 'They ship' },
  },
  { name: 'save-filter', path: '/leads?keyword=o', open: ['Saved filters', 'Save this filter'], fields: { Name: 'O' } },
  {
    name: 'filter-name',
    path: '/leads?keyword=o',
    open: ['Saved filters', 'Manage saved filters', 'Rename Old filter'],
    fields: { 'New name for Old filter': 'New filter' },
  },
  {
    name: 'list-of-leads',
    path: '/leads?keyword=o',
    open: ['More for all leads', /^Add [^@]* to a list$/],
    fields: { 'Or create a new list': 'Another list' },
  },
  { name: 'tag', path: '/leads?keyword=o', open: ['More for all leads', 'Manage tags'], fields: { 'New tag': 'Hot' } },
  {
    name: 'tag-name',
    path: '/leads?keyword=o',
    open: ['More for all leads', 'Manage tags', 'More for Old tag', 'Rename'],
    fields: { 'New name for Old tag': 'New tag name' },
  },
  {
    name: 'rules',
    path: '/leads?keyword=o',
    open: ['Filter', 'Custom rules…'],
    fields: { 'Value of rule 1': 'maker' },
  },
  { name: 'dm', path: '/leads?lead=:otherId', open: ['Message'], fields: { Message: 'Only for you' } },
  {
    name: 'basis',
    path: '/leads?lead=:leadId',
    open: ['Change'],
    fields: { 'How do you know?': 'We met at a fair' },
  },
  { name: 'import', path: '/leads', open: ['Import CSV'], fields: { 'How do you know?': 'They signed up' } },
  { name: 'note', path: '/inbox/:conversationId', open: ['Add a note'], fields: { Note: 'Call them' } },
  {
    name: 'campaign',
    path: '/campaigns/:byBrowserId',
    open: ['More', 'Edit'],
    fields: { 'Campaign Name': 'By another browser' },
  },
  {
    name: 'save-template',
    path: '/campaigns/:byBrowserId',
    open: ['More', 'Save as template'],
    fields: { 'Template name': 'Opening', 'Folder (optional)': 'First' },
  },
  { name: 'messages', path: '/campaigns/:byBrowserId/edit', fields: { 'Message template': 'Hello again {lead_name}' } },
  {
    name: 'brief',
    path: '/campaigns/:byBrowserId/edit',
    open: ['AI', 'Write with AI'],
    fields: { 'Audience (optional)': 'Founders' },
  },
  {
    name: 'opener',
    path: '/campaigns/:byBrowserId/openers',
    open: ['Edit the opener for Somebody'],
    fields: { 'Opener for Somebody': 'I like your garden.' },
  },
  {
    name: 'template',
    path: '/templates',
    open: ['New template'],
    fields: { 'Template name': 'Mine', 'Folder (optional)': 'Drafts', 'Message template': 'Hi {first_name}' },
  },
  { name: 'sending-limits', path: '/settings', fields: { 'Daily cap': '77' } },
  { name: 'opt-out-words', path: '/settings', fields: { 'Words and phrases': 'no more' } },
  { name: 'protection', path: '/settings', fields: { 'Pause at refusals': '33' } },
  { name: 'spending-limit', path: '/settings?tab=x-costs', fields: { 'Limit in US dollars': '12' } },
  {
    name: 'snippet',
    path: '/settings?tab=inbox',
    open: ['New snippet'],
    fields: { Shortcut: 'price', Text: 'It costs $50.' },
  },
  { name: 'retention', path: '/settings?tab=inbox', fields: { 'Keep message text for (days)': '41' } },
  { name: 'about-us', path: '/settings?tab=ai-writer', fields: { 'About us': 'We sell tea.' } },
  {
    name: 'model',
    path: '/settings?tab=ai-writer',
    open: ['Connect a model'],
    fields: { 'Base URL': 'https://models.example/v1', Model: 'small' },
  },
  {
    name: 'suppress',
    path: '/settings?tab=suppression-list',
    open: ['Add people'],
    fields: { Handles: '@never', Note: 'They asked' },
  },
  { name: 'workspace-name', path: '/settings?tab=people', fields: { Name: 'Tea and Co' } },
  { name: 'invitation', path: '/settings?tab=people', open: ['Invite'], fields: { 'Email address': EMAIL } },
  { name: 'identity-provider', path: '/settings?tab=single-sign-on', fields: { Issuer: 'https://id.example' } },
  { name: 'domain', path: '/settings?tab=single-sign-on', fields: { Domain: 'company.example' } },
  { name: 'api-key', path: '/settings?tab=api', open: ['Create API key'], fields: { Name: 'CRM' } },
  {
    name: 'webhook',
    path: '/operator?tab=webhooks',
    open: ['Add webhook'],
    fields: { URL: 'https://example.com/hook', 'Description (optional)': 'Ours' },
  },
]

let world: World
let ids: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld({ OPERATORS: 'typing@example.com' })
})

/** Creates a user on the Agency plan with a record of each kind, and signs the page in. */
async function enter(page: Page, email: string, xUsername: string): Promise<Client> {
  const person = await signUp(world, email)
  await world.subscribe(email)
  const { token } = person
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => token } })
  await client.xAccount.connect({ username: xUsername, password: 'long enough' })
  await importLeads(world, token, ['twitter_handle,name', 'somebody,Somebody'])
  const records = await createRecords(world, token, xUsername)
  await importLeads(world, token, ['twitter_handle,name', 'other,Other'])
  const { leads } = await client.leads.list({})
  const idOf = (handle: string) => leads.find(({ twitterHandle }) => twitterHandle === handle)?.id ?? ''
  ids = { ...records, leadId: idOf('somebody'), otherId: idOf('other') }
  await client.tags.create({ name: 'Old tag' })
  await client.savedFilters.create({ name: 'Old filter', filter: { keyword: 'o' } })
  await person.enter(page)
  return client
}

const formOf = (page: Page, { name }: Pick<Case, 'name'>) => page.locator(`[data-form="${name}"]`)

function fieldOf(page: Page, { name }: Pick<Case, 'name'>, label: string): Locator {
  return formOf(page, { name }).getByLabel(label, { exact: true }).first()
}

/** Opens a case's form, on its page. */
async function open(page: Page, one: Case): Promise<void> {
  for (const name of one.open ?? []) {
    const named = typeof name === 'string' ? { name, exact: true } : { name }
    await page.getByRole('button', named).or(page.getByRole('menuitem', named)).first().click()
  }
  if (one.name === 'basis') await page.getByRole('radio', { name: /^Customer/ }).check()
  if (one.name === 'import') {
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('handle,name\nada,Ada') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByLabel('Contact basis for these leads').selectOption('customer')
  }
  await formOf(page, one).waitFor()
}

/** Closes a dialog without discarding its text. */
async function leave(page: Page, one: Case): Promise<void> {
  const form = page.getByRole('dialog').locator(formOf(page, one))
  if ((await form.count()) === 0) return
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
}

async function type(page: Page, one: Case): Promise<void> {
  await open(page, one)
  for (const [label, text] of Object.entries(one.fields)) await fieldOf(page, one, label).fill(text)
  // Before hydration, nothing can be stored.
  await expect.poll(() => isStored(page, one), { message: `${one.name} is stored` }).toBe(true)
  await leave(page, one)
}

/** Whether the browser has stored text of a form. */
function isStored(page: Page, { name }: Case): Promise<boolean> {
  return page.evaluate(
    (form) =>
      [localStorage, sessionStorage].some((storage) =>
        Object.keys(storage).some((key) => key.startsWith('typed.') && key.split(' ')[1] === form),
      ),
    name,
  )
}

async function expectTyped(page: Page, one: Case): Promise<void> {
  await open(page, one)
  for (const [label, text] of Object.entries(one.fields))
    await expect.poll(() => fieldOf(page, one, label).inputValue(), { message: `${one.name}: ${label}` }).toBe(text)
  await formOf(page, one).getByText('We restored what you typed here.').waitFor()
  await leave(page, one)
}

/** Types into all forms, and expects the texts on each page once it has been loaded again. */
async function walk(page: Page, cases: readonly Case[]): Promise<void> {
  const byPath = [...Map.groupBy(cases, ({ path }) => fillPath(path, ids as never))]
  await page.goto(byPath[0]?.[0] ?? '/')
  for (const [path, forms] of byPath) {
    await openInApp(page, path)
    for (const one of forms) await type(page, one)
  }
  for (const [path, forms] of byPath) {
    await page.goto(path)
    for (const one of forms) await expectTyped(page, one)
  }
}

/** Opens another page as a link would, without loading the app again. */
async function openInApp(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    if (new URL(to, location.origin).pathname !== location.pathname)
      for (const heading of document.querySelectorAll<HTMLElement>('main h1')) heading.dataset.former = ''
    const state = { usr: null, key: to, idx: (history.state?.idx ?? 0) + 1 }
    history.pushState(state, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state }))
  }, path)
  await page.locator('[data-former]').waitFor({ state: 'detached' })
}

it('restores what guests have typed into every form after a reload', async () => {
  await walk(await world.openPage(), OF_GUESTS)
})

it('restores what members have typed into every form after a reload', async () => {
  const page = await world.openPage()
  page.setDefaultTimeout(30_000)
  const client = await enter(page, 'typing@example.com', 'typing_sender')
  const { createdAt } = await client.leads.find({ id: ids.leadId! })
  const factor = { id: 'f', kind: 'passkey', name: 'Old key', createdAt, lastUsedAt: null }
  await page.route('**/api/auth/factors', (route) => route.fulfill({ json: { factors: [factor] } }))
  const opener = {
    id: 'o',
    campaignId: ids.byBrowserId,
    lead: { id: ids.leadId, name: 'Somebody', twitterHandle: 'somebody' },
    text: 'Nice roses.',
    factsUsed: [],
    source: 'model',
    status: 'draft',
    version: 1,
    approvedBy: null,
    approvedAt: null,
    updatedAt: createdAt,
  }
  await page.route('**/api/campaigns/*/openers?*', async (route) => {
    const json = await (await route.fetch()).json()
    await route.fulfill({ json: { ...json, total: 1, openers: [opener] } })
  })
  await walk(page, OF_MEMBERS)
})

it('keeps a text while offline, on other pages, and until the same person has logged in again', async () => {
  const page = await world.openPage()
  world.expectConsole(/ERR_INTERNET_DISCONNECTED|401/)
  await enter(page, 'leaving@example.com', 'leaving_sender')
  const name = () => fieldOf(page, { name: 'list' }, 'List name')
  const openForm = async () => {
    await page.getByRole('button', { name: 'Create List' }).first().click()
    await name().waitFor()
  }
  await page.goto('/lists')
  await openForm()
  await name().fill('Makers')
  await page.context().setOffline(true)
  await name().fill('Makers of things')
  await page.getByRole('dialog').getByRole('button', { name: 'Create List' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Failed to create list|No connection/)
    .waitFor()
  expect(await name().inputValue()).toBe('Makers of things')
  await page.context().setOffline(false)
  await page.keyboard.press('Escape')
  await page
    .getByRole('link', { name: 'Templates' })
    .or(page.getByRole('link', { name: 'Campaigns' }))
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  await page.goBack()
  await openForm()
  expect(await name().inputValue()).toBe('Makers of things')

  // The session ends, and somebody else uses the browser in between.
  const logIn = async (email: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL(`${world.origin}/lists`)
  }
  const loseSession = async () => {
    await page.route('**/api/**', (route) => refuse(route, 401, 'UNAUTHORIZED', 'Session expired.'))
    await page.reload()
    await page.waitForURL(/login/)
    await page.unroute('**/api/**')
  }
  await signUp(world, 'visitor@example.com')
  await loseSession()
  await logIn('visitor@example.com')
  await openForm()
  expect(await name().inputValue()).toBe('')
  await loseSession()
  await logIn('leaving@example.com')
  await openForm()
  expect(await name().inputValue()).toBe('Makers of things')

  // Signing out deletes it.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Profile menu' }).click()
  await page.getByRole('menuitem', { name: /^(Sign out|Logout|Log out)/i }).click()
  await page.waitForURL(`${world.origin}/`)
  await page.goto('/login')
  await page.getByLabel('Email', { exact: true }).fill('leaving@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(PASSWORD)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL(/dashboard/)
  await page.goto('/lists')
  await openForm()
  expect(await name().inputValue()).toBe('')
})

it('deletes a text that was saved or discarded, and asks if the record has changed meanwhile', async () => {
  const page = await world.openPage()
  const client = await enter(page, 'changing@example.com', 'changing_sender')
  const form = formOf(page, { name: 'list' })
  const name = form.getByLabel('List name')
  const openForm = async () => {
    await page.getByRole('button', { name: 'Rename', exact: true }).first().click()
    await name.waitFor()
  }
  await page.goto('/lists')
  await openForm()
  await name.fill('Everyone')
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await openForm()
  await form.getByText('We restored what you typed here.').waitFor()
  await form.getByRole('button', { name: 'Discard' }).click()
  expect(await name.inputValue()).toBe('Everybody')

  await name.fill('All of them')
  await client.lists.update({ id: ids.listId!, name: 'Changed elsewhere' })
  await page.reload()
  await openForm()
  await form.getByText('This has changed since you typed here').waitFor()
  expect(await name.inputValue()).toBe('Changed elsewhere')
  await form.getByRole('button', { name: 'Use what I typed' }).click()
  expect(await name.inputValue()).toBe('All of them')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await form.waitFor({ state: 'detached' })
  await openForm()
  expect(await name.inputValue()).toBe('All of them')
  expect(await form.locator('[aria-live]').first().innerText()).toBe('')
  await name.fill('Canceled')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await form.waitFor({ state: 'detached' })
  await openForm()
  expect(await name.inputValue()).toBe('All of them')
})
