import { type Sso, startSso } from '@x-automated/stand-ins/sso'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmEmail, expectSoundPage, linkInMail, openWorld, signUp, type World } from '../world.ts'

let world: World
let idp: Sso
beforeAll(async () => {
  idp = await startSso()
  afterAll(() => idp.close())
  world = await openWorld({ DNS_SERVER: idp.dns })
})

const PASSWORD = 'Correct-horse1'
const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }

/** Creates a confirmed account through the API and logs in. */
async function logIn(page: Page, email: string) {
  const response = await fetch(`${world.origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  await confirmEmail(world, email)
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/dashboard')
}

async function soundInBoth(page: Page) {
  await expectSoundPage(page)
  await page.setViewportSize(NARROW)
  await expectSoundPage(page)
  await page.setViewportSize(WIDE)
}

/** Signs in on the provider's page. */
async function atCompany(page: Page, email: string, button = 'Continue') {
  await page.getByRole('heading', { name: 'Sign in with your company' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: button }).click()
}

/** Reauthenticates with the password. */
async function reauthenticate(page: Page) {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function linkIt(page: Page, email: string) {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Link single sign-on', exact: true }).click()
  await atCompany(page, email)
  await page.getByText(`${email} (single sign-on) is now linked. You can sign in with it.`).waitFor()
  expect(new URL(page.url()).pathname).toBe('/account')
  await page.getByRole('button', { name: 'Link single sign-on', exact: true }).waitFor({ state: 'detached' })
}

async function signInBy(page: Page, email: string, button?: string) {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with SSO' }).click()
  await page.getByLabel('Work email').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  if (button !== 'nowhere') await atCompany(page, email, button)
}

it('sets up OpenID Connect, then SAML, links it and signs in', async () => {
  const admin = await world.openPage()
  await logIn(admin, 'ada@company.example')

  // The form validates its fields.
  await admin.getByRole('button', { name: 'Profile menu' }).click()
  await admin.getByRole('menuitem', { name: 'Settings' }).click()
  await admin.getByRole('tab', { name: 'API and sign-on' }).click()
  await admin.getByRole('link', { name: 'Single sign-on', exact: true }).click()
  await admin.getByText('Single sign-on is off').waitFor()
  await soundInBoth(admin)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Issuer is required').waitFor()
  await admin.getByText('Client secret is required').waitFor()
  await admin.getByRole('button', { name: 'Google Workspace' }).click()
  expect(await admin.getByLabel('Issuer').inputValue()).toBe('https://accounts.google.com')
  await admin.getByLabel('Issuer').fill('not an address')
  await admin.getByLabel('Client ID').fill(idp.clientId)
  await admin.getByLabel('Client secret', { exact: true }).fill(idp.clientSecret)
  world.expectConsole(/status of 400/)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Enter an address that begins with https://').waitFor()
  await admin.getByLabel('Issuer').fill(idp.url)
  world.expectConsole(/status of 403/)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await reauthenticate(admin)
  await admin.getByText('Stored and never shown again').waitFor()
  await admin.getByText('Your identity provider is connected. Verify a domain to turn it on.').waitFor()
  await admin.getByRole('button', { name: 'Test connection' }).click()
  await admin.getByText(`Found ${idp.url}`).waitFor()

  // The domain's record is missing at first, then verified.
  await admin.getByLabel('Domain', { exact: true }).fill('company')
  await admin.getByRole('button', { name: 'Add domain' }).click()
  await admin.getByText('Enter a domain, like example.com').waitFor()
  await admin.getByLabel('Domain', { exact: true }).fill('Company.example')
  await admin.getByRole('button', { name: 'Add domain' }).click()
  const row = admin.getByRole('list', { name: 'Domains' }).getByRole('listitem')
  await row.getByText('Waiting for DNS').waitFor()
  await soundInBoth(admin)
  world.expectConsole(/status of 409/)
  await row.getByRole('button', { name: 'Verify company.example' }).click()
  await row.getByText(/^We have not found the TXT record yet/).waitFor()
  const record = await row.getByText(/^x-automated-verification=/).innerText()
  idp.setTxt('company.example', [record])
  await row.getByRole('button', { name: 'Verify company.example' }).click()
  await row.getByText(/^Verified /).waitFor()
  await admin.getByText('Single sign-on is on').waitFor()
  await expectSoundPage(admin)

  // Single sign-on only signs in people who have linked it from a session.
  const other = await world.openPage(NARROW)
  await signInBy(other, 'ada@company.example')
  await other.getByText(/^Single sign-on isn't linked to your account yet\./).waitFor()
  expect(other.url()).toBe(`${world.origin}/login`)
  await expectSoundPage(other)
  await linkIt(admin, 'ada@company.example')
  await expectSoundPage(admin)
  await other.reload({ waitUntil: 'networkidle' })
  expect(await other.getByText(/^Single sign-on isn't linked/).count()).toBe(0)
  await signInBy(other, 'ada@company.example', 'Cancel')
  await other.getByText('Single sign-on was canceled. Please try again.').waitFor()
  await signInBy(other, 'ada@nowhere.example', 'nowhere')
  await other.getByText(/^Single sign-on is not set up for this address\./).waitFor()
  await other.getByRole('button', { name: 'Continue with SSO' }).click()
  await expectSoundPage(other)
  await other.getByRole('button', { name: 'Log in with a password instead' }).click()
  await signInBy(other, 'ada@company.example')
  await other.waitForURL('**/dashboard')
  await other.getByText('ada@company.example').first().waitFor()

  // Switching to SAML ends links, so people link again.
  await admin.goto('/settings?tab=single-sign-on')
  await admin.getByText('1 member', { exact: true }).waitFor()
  await admin.getByRole('button', { name: 'Change', exact: true }).click()
  await admin.getByRole('radio', { name: /^SAML 2\.0/ }).check()
  await admin.getByRole('radio', { name: 'Manually' }).check()
  await admin.getByLabel('Signing certificate').waitFor()
  await admin.getByText(/^1 person has linked this provider\. .* end unless the entity ID stays the same/).waitFor()
  await soundInBoth(admin)
  await admin.getByRole('radio', { name: 'From a metadata URL' }).check()
  await admin.getByRole('textbox', { name: 'Metadata URL' }).fill(idp.metadataUrl)
  world.expectConsole(/status of 401/)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Identity provider saved. 1 account unlinked.').waitFor()
  await admin.getByText('Stand-in identity provider, until').waitFor()
  // The session that began through the former link has ended.
  await other.goto('/dashboard')
  await other.waitForURL('**/login')
  await admin.getByRole('button', { name: 'Test connection' }).click()
  await admin.getByText(/Valid for [\d,]+ more days/).waitFor()
  await linkIt(admin, 'ada@company.example')

  const third = await world.openPage()
  await signInBy(third, 'ada@company.example')
  await third.waitForURL('**/dashboard')
  await third.getByText('ada@company.example').first().waitFor()

  // Members see who the admins are. Removing requires confirmation.
  await third.route('**/api/me', async (route) => {
    const response = await route.fetch()
    const me = await response.json()
    await route.fulfill({ response: response, json: { ...me, workspace: { ...me.workspace, role: 'member' } } })
  })
  await third.goto('/settings?tab=single-sign-on')
  await third.getByText('Only the owner and admins can set up single sign-on').waitFor()
  await expectSoundPage(third)
  await admin.goto('/settings?tab=single-sign-on')
  await row.getByRole('button', { name: 'Remove company.example' }).click()
  const question = admin.getByRole('alertdialog').or(admin.getByRole('dialog'))
  await question.getByText('Remove company.example?').waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await admin.getByText('company.example removed.').waitFor()
  await question.waitFor({ state: 'detached' })
  await admin.getByRole('button', { name: 'Remove', exact: true }).click()
  await question.getByText(/1 person linked it: they'll be unlinked/).waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await admin.getByText('Identity provider removed.').waitFor()
  await admin.getByText('Single sign-on is off').waitFor()
})

/** Calls the API with a token. */
async function api(token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${world.origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  expect([method, path, response.status < 300]).toEqual([method, path, true])
  return response.status === 204 ? null : response.json()
}

/** Sets up the identity provider and a verified domain in a workspace. */
async function setUp(token: string, domain: string) {
  const { url: issuer, clientId, clientSecret } = idp
  await api(token, 'POST', '/auth/reauthenticate', { password: PASSWORD })
  await api(token, 'PUT', '/sso/connection', { kind: 'oidc', issuer, clientId, clientSecret })
  const { id, record } = await api(token, 'POST', '/sso/domains', { domain })
  idp.setTxt(domain, [record])
  await api(token, 'POST', `/sso/domains/${id}/verify`)
}

it('gives access only to its workspace and requires reauthentication for another', async () => {
  const [host, eve] = await Promise.all([signUp(world, 'host@acme.example'), signUp(world, 'eve@base.example')])
  await world.subscribe('host@acme.example')
  await Promise.all([setUp(host.token, 'acme.example'), setUp(eve.token, 'base.example')])
  await api(host.token, 'PATCH', '/workspace', { name: 'Acme' })
  await api(host.token, 'POST', '/workspace/invitations', { email: 'eve@base.example', role: 'admin' })
  const invitation = new URL(await linkInMail(world.mailbox, 'eve@base.example', /^Join Acme/))

  // Eve links her own workspace's single sign-on and uses it.
  const page = await world.openPage()
  await eve.enter(page)
  await linkIt(page, 'eve@base.example')
  const browser = await world.openPage()
  await signInBy(browser, 'eve@base.example')
  await browser.waitForURL('**/dashboard')

  // Accepting an invitation requires reauthentication once; switching afterwards does not.
  world.expectConsole(/status of 403/)
  await browser.goto(invitation.href)
  await browser.getByRole('button', { name: 'Join Acme' }).click()
  await reauthenticate(browser)
  await browser.waitForURL('**/dashboard')
  await browser.getByRole('button', { name: 'Profile menu' }).click()
  await browser.getByRole('menuitem', { name: 'Switch to eve' }).waitFor()

  // Admins see the provider, and why they cannot change it.
  await browser.goto('/settings?tab=single-sign-on')
  await browser.getByText('Only the workspace owner can manage the identity provider', { exact: true }).waitFor()
  await browser.getByRole('button', { name: 'Test connection' }).waitFor()
  for (const name of ['Change', 'Remove', 'Save identity provider'])
    expect(await browser.getByRole('button', { name, exact: true }).count()).toBe(0)
  await soundInBoth(browser)

  // A new session is in its own workspace. Switching asks for reauthentication, and can be
  // canceled.
  const fresh = await world.openPage()
  await signInBy(fresh, 'eve@base.example')
  await fresh.waitForURL('**/dashboard')
  const switchTo = async (name: string) => {
    await fresh.getByRole('button', { name: 'Profile menu' }).click()
    await fresh.getByRole('menuitem', { name: `Switch to ${name}` }).click()
  }
  await switchTo('Acme')
  await fresh
    .getByText("Single sign-on signed you in to eve only. Confirm it's you to open Acme.", { exact: true })
    .waitFor()
  await expectSoundPage(fresh)
  await fresh.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await fresh.getByRole('dialog').waitFor({ state: 'detached' })
  await fresh.setViewportSize(NARROW)
  await fresh.getByRole('button', { name: 'Open menu' }).click()
  await fresh.getByRole('button', { name: 'Switch to Acme' }).click()
  await fresh.getByText(/^Single sign-on signed you in to eve only\./).waitFor()
  await expectSoundPage(fresh)
  await fresh.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await fresh.setViewportSize(WIDE)

  // Before reauthentication, the page lists neither sign-in methods nor devices.
  const limited = await world.openPage()
  await signInBy(limited, 'eve@base.example')
  await limited.waitForURL('**/dashboard')
  await limited.goto('/account')
  const prove = limited.getByRole('button', { name: "Confirm it's you" })
  await prove.nth(1).waitFor()
  await soundInBoth(limited)
  await prove.first().click()
  await reauthenticate(limited)
  await limited.getByText('This device').waitFor()
  expect(await prove.count()).toBe(0)

  // Once linked there, the same provider needs one click and no reauthentication.
  await page.goto('/account')
  await page.getByRole('button', { name: 'Link single sign-on of Acme' }).click()
  await atCompany(page, 'eve@acme.example')
  await page.getByText('eve@acme.example (single sign-on) is now linked. You can sign in with it.').waitFor()
  await switchTo('Acme')
  await atCompany(fresh, 'eve@acme.example', 'Cancel')
  await fresh.getByText('Single sign-on was canceled. Please try again.').waitFor()
  await fresh.waitForURL('**/dashboard')
  await switchTo('Acme')
  await atCompany(fresh, 'eve@acme.example')
  await fresh.waitForURL('**/dashboard')
  await fresh.getByRole('button', { name: 'Profile menu' }).click()
  await fresh.getByRole('menuitem', { name: 'Switch to eve' }).waitFor()

  // The data export belongs to the account, so it requires reauthentication.
  await fresh.goto('/account')
  const download = fresh.waitForEvent('download')
  await fresh.getByRole('button', { name: 'Download my data' }).click()
  await reauthenticate(fresh)
  await download
})
