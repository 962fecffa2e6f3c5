import { type Sso, startSso } from '@x-automated/stand-ins/sso'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmEmail, expectSoundPage, openWorld, type World } from '../world.ts'

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

/** A confirmed account, by the API; then its log-in in a browser. */
async function logIn(page: Page, email: string) {
  const answer = await fetch(`${world.origin}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(answer.status).toBe(200)
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

/** At the provider's page. */
async function atCompany(page: Page, email: string, button = 'Continue') {
  await page.getByRole('heading', { name: 'Sign in with your company' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: button }).click()
}

async function linkIt(page: Page, email: string, asksForProof: boolean) {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Link single sign-on', exact: true }).click()
  if (asksForProof) {
    world.expectConsole(/status of 403/)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
  }
  await atCompany(page, email)
  await page.getByText(`${email} by single sign-on signs you in from now on.`).waitFor()
  expect(new URL(page.url()).pathname).toBe('/account')
  await page.getByRole('button', { name: 'Link single sign-on', exact: true }).waitFor({ state: 'detached' })
}

async function signInBy(page: Page, email: string, button?: string) {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
  await page.getByLabel('Work email').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  if (button !== 'nowhere') await atCompany(page, email, button)
}

it('is set up by OpenID Connect, then by SAML, linked, and signed in with', async () => {
  const admin = await world.openPage()
  await logIn(admin, 'ada@company.example')

  // Nothing is set up yet: what is wrong with the form is said at its fields.
  await admin.getByRole('button', { name: 'Profile menu' }).click()
  await admin.getByRole('menuitem', { name: 'Settings' }).click()
  await admin.getByRole('tab', { name: 'Single sign-on' }).click()
  await admin.getByText('Single sign-on is off').waitFor()
  await soundInBoth(admin)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Issuer is required').waitFor()
  await admin.getByText('Client secret is required').waitFor()
  await admin.getByLabel('Issuer').fill('not an address')
  await admin.getByLabel('Client ID').fill(idp.clientId)
  await admin.getByLabel('Client secret', { exact: true }).fill(idp.clientSecret)
  world.expectConsole(/status of 400/)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Enter an address that begins with https://').waitFor()
  await admin.getByLabel('Issuer').fill(idp.url)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Stored, and never shown again').waitFor()
  await admin.getByText('Your identity provider is set. Prove a domain to turn it on.').waitFor()
  await admin.getByRole('button', { name: 'Test connection' }).click()
  await admin.getByText(`Found ${idp.url}`).waitFor()

  // The domain: not there yet, then proved.
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
  await row.getByText(/^The TXT record was not found yet/).waitFor()
  const record = await row.getByText(/^x-automated-verification=/).innerText()
  idp.setTxt('company.example', [record])
  await row.getByRole('button', { name: 'Verify company.example' }).click()
  await row.getByText(/^Proved /).waitFor()
  await admin.getByText('Single sign-on is on').waitFor()
  await expectSoundPage(admin)

  // Linked from inside a session, it signs in; before that it does not.
  const other = await world.openPage(NARROW)
  await signInBy(other, 'ada@company.example')
  await other.getByText(/^Your single sign-on is not linked to an account here yet\./).waitFor()
  expect(other.url()).toBe(`${world.origin}/login`)
  await expectSoundPage(other)
  await linkIt(admin, 'ada@company.example', true)
  await expectSoundPage(admin)
  await other.reload({ waitUntil: 'networkidle' })
  expect(await other.getByText(/^Your single sign-on is not linked/).count()).toBe(0)
  await signInBy(other, 'ada@company.example', 'Cancel')
  await other.getByText('The single sign-on was cancelled. Please try again.').waitFor()
  await signInBy(other, 'ada@nowhere.example', 'nowhere')
  await other.getByText(/^Single sign-on is not set up for this address\./).waitFor()
  await other.getByRole('button', { name: 'Sign in with single sign-on' }).click()
  await expectSoundPage(other)
  await other.getByRole('button', { name: 'Log in with a password instead' }).click()
  await signInBy(other, 'ada@company.example')
  await other.waitForURL('**/dashboard')
  await other.getByText('ada@company.example').first().waitFor()

  // The same company goes over to SAML: whoever had linked links again.
  await admin.goto('/settings?tab=single-sign-on')
  await admin.getByText('1 member', { exact: true }).waitFor()
  await admin.getByRole('button', { name: 'Change', exact: true }).click()
  await admin.getByRole('radio', { name: /^SAML 2\.0/ }).check()
  await admin.getByRole('radio', { name: 'By hand' }).check()
  await admin.getByLabel('Signing certificate').waitFor()
  await soundInBoth(admin)
  await admin.getByRole('radio', { name: 'From a metadata address' }).check()
  await admin.getByRole('textbox', { name: 'Metadata address' }).fill(idp.metadataUrl)
  await admin.getByRole('button', { name: 'Save identity provider' }).click()
  await admin.getByText('Stand-in identity provider, until').waitFor()
  await admin.getByRole('button', { name: 'Test connection' }).click()
  await admin.getByText(/Good for \d+ more days/).waitFor()
  await linkIt(admin, 'ada@company.example', false)

  const third = await world.openPage()
  await signInBy(third, 'ada@company.example')
  await third.waitForURL('**/dashboard')
  await third.getByText('ada@company.example').first().waitFor()

  // Whoever is no admin is told who is; removing asks before.
  await third.route('**/api/me', async (route) => {
    const answer = await route.fetch()
    const me = await answer.json()
    await route.fulfill({ response: answer, json: { ...me, workspace: { ...me.workspace, role: 'member' } } })
  })
  await third.goto('/settings?tab=single-sign-on')
  await third.getByText('Only the owner and admins set up single sign-on').waitFor()
  await expectSoundPage(third)
  await admin.goto('/settings?tab=single-sign-on')
  await row.getByRole('button', { name: 'Remove company.example' }).click()
  const question = admin.getByRole('alertdialog').or(admin.getByRole('dialog'))
  await question.getByText('Remove company.example?').waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await admin.getByText('company.example was removed.').waitFor()
  await question.waitFor({ state: 'detached' })
  await admin.getByRole('button', { name: 'Remove', exact: true }).click()
  await question.getByText(/1 person linked it/).waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await admin.getByText('The identity provider was removed.').waitFor()
  await admin.getByText('Single sign-on is off').waitFor()
})
