import { readFileSync } from 'node:fs'
import { codeOf } from '@x-automated/server/test/one-time-codes.ts'
import { startGoogle } from '@x-automated/stand-ins/google'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectSoundPage,
  linkInMail,
  openWorld,
  PASSWORD,
  proofDialog,
  reauthenticate,
  signIn,
  signInAtGoogle,
  signUp,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  const google = await startGoogle()
  afterAll(() => google.close())
  world = await openWorld({
    GOOGLE_ISSUER: google.url,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
  })
})

const NEW_PASSWORD = 'Correct-horse2'
const REFUSED = /status of 40[0139]/

async function post(path: string, body: unknown) {
  const response = await fetch(`${world.origin}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return response.json() as Promise<Record<string, unknown>>
}

async function logIn(page: Page, email: string, password = PASSWORD) {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log In' }).click()
}

/** Opens the account page in a new session. */
async function openAccount(page: Page, email: string) {
  await (await signIn(world, email)).enter(page)
  await page.goto('/account')
  await section(page, 'Sessions').getByText('This device').waitFor()
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Profile menu' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await page.waitForURL(`${world.origin}/`)
}

/** Records a browser's auth events in another tab. */
async function listenTo(page: Page) {
  const tab = await page.context().newPage()
  await tab.goto('/favicon.svg')
  await tab.evaluate(() => {
    const authEvents: string[] = []
    Object.assign(window, { authEvents })
    new BroadcastChannel('x-automated-auth').onmessage = ({ data }) => authEvents.push(data)
  })
  // Background tabs render once a second, which would slow down every click.
  await page.bringToFront()
  return {
    expect: (event: string) =>
      expect.poll(() => tab.evaluate(() => (window as never as { authEvents: string[] }).authEvents)).toContain(event),
  }
}

async function readEmailedCode(email: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`${world.mailbox.url}/messages?to=${encodeURIComponent(email)}`)
    const mails = (await response.json()) as { subject: string }[]
    const code = mails.find(({ subject }) => subject.startsWith('Your code'))?.subject.replace(/\D/g, '')
    if (code) return code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no code for ${email}`)
}

describe('the account page, in a browser', () => {
  it('changes name, password and email address after reauthentication', async () => {
    world.expectConsole(REFUSED)
    const ada = await signUp(world, 'ada@example.com')
    await post('/waitlist/join', { email: 'ada@example.com' })
    const page = await world.openPage()
    await ada.enter(page)
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menuitem', { name: 'Account' }).click()
    await page.waitForURL('**/account')
    await section(page, 'Sessions').getByText('This device').waitFor()
    const events = await listenTo(page)
    await page.evaluate(() => {
      localStorage.setItem('waitlistEmail', 'ada@example.com')
      localStorage.setItem('waitlistPosition', '1')
      localStorage.setItem('waitlistReferralCode', 'Ab3dE9xy')
    })

    const profile = section(page, 'Profile')
    await profile.getByText(/^Member since /).waitFor()
    const name = profile.getByLabel('Name')
    await name.fill('Ada Lovelace')
    // Text typed while a name is being saved stays.
    await page.route('**/api/auth/user', async (route) => {
      if (route.request().method() !== 'GET') await name.fill('Ada King')
      await route.continue()
    })
    await profile.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved.').waitFor()
    await events.expect('USER_UPDATED')
    expect(await name.inputValue()).toBe('Ada King')
    await page.unroute('**/api/auth/user')
    await profile.getByRole('button', { name: 'Save name' }).click()
    await expect.poll(() => profile.getByRole('button', { name: 'Save name' }).isDisabled()).toBe(true)
    await events.expect('USER_UPDATED')

    const password = section(page, 'Password')
    const change = password.getByRole('button', { name: 'Change password' })
    await password.getByLabel('Current password').fill('Wrong-horse9')
    await password.getByLabel('New password', { exact: true }).fill('weak')
    await password.getByLabel('Confirm new password').fill('other')
    await change.click()
    await password.getByText('Password does not meet the requirements').waitFor()
    await password.getByText('Passwords do not match').waitFor()
    await expectSoundPage(page)
    await password.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
    await password.getByLabel('Confirm new password').fill(NEW_PASSWORD)
    await change.click()
    await password.getByText('The current password is incorrect.').waitFor()
    await password.getByLabel('Current password').fill(PASSWORD)
    await change.click()
    await page.getByText('Password changed. Other devices were signed out.').waitFor()
    await linkInMail(world.mailbox, 'ada@example.com', /^Your password was changed/)

    // Email address: canceling changes nothing. After a confirmation, both addresses get an email.
    const email = section(page, 'Email address')
    const address = email.getByLabel('New email address')
    await address.fill('ada@')
    await email.getByRole('button', { name: 'Change address' }).click()
    await email.getByText('Invalid email format').waitFor()
    await address.fill('countess@example.org')
    await email.getByRole('button', { name: 'Change address' }).click()
    await proofDialog(page).getByLabel('Password', { exact: true }).waitFor()
    await expectSoundPage(page)
    await proofDialog(page).getByRole('button', { name: 'Cancel' }).click()
    await proofDialog(page).waitFor({ state: 'detached' })
    expect(await address.inputValue()).toBe('countess@example.org')
    await email.getByRole('button', { name: 'Change address' }).click()
    await proofDialog(page).getByLabel('Password', { exact: true }).fill(PASSWORD)
    await proofDialog(page).getByRole('button', { name: 'Confirm', exact: true }).click()
    await proofDialog(page).getByText('The current password is incorrect.').waitFor()
    await reauthenticate(page, NEW_PASSWORD)
    await expect
      .poll(() => email.getByRole('listitem').allInnerTexts())
      .toEqual(['Waiting\nada@example.com', 'Waiting\ncountess@example.org'])

    // The old address's link is opened signed out, on a phone.
    const phone = await world.openPage({ width: 390, height: 844, dark: true })
    await phone.goto(await linkInMail(world.mailbox, 'ada@example.com', /^Confirm the change/))
    await phone.getByRole('button', { name: 'Confirm the change' }).click()
    await phone.waitForURL('**/login')
    await phone.getByText('This address is confirmed').waitFor()
    await expectSoundPage(phone)
    await page.reload()
    await email.getByRole('listitem').filter({ hasText: 'ada@example.com' }).getByText('Confirmed').waitFor()
    const enter = await linkInMail(world.mailbox, 'countess@example.org', /^Confirm your new/)
    await page.goto(enter)
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await page.getByText('Email address changed').waitFor()
    await profile.getByText('countess@example.org').waitFor()
    await events.expect('USER_UPDATED')
    await page.waitForFunction(() => localStorage.getItem('waitlistEmail') === 'countess@example.org')
    await page.getByRole('button', { name: 'Profile menu' }).click()
    await page.getByRole('menu').getByText('countess@example.org').waitFor()
    await page.keyboard.press('Escape')
    const { position } = await post('/waitlist/position', { email: 'countess@example.org' })
    expect(position).toBe(1)
    await page.goto(enter)
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await page.getByText('Email address not changed').waitFor()
    await page.getByRole('button', { name: 'OK' }).click()
    await page.waitForURL(`${world.origin}/account`)

    await phone.goto('/forgot-password')
    const phoneEvents = await listenTo(phone)
    await post('/auth/recover', { email: 'countess@example.org' })
    await phone.goto(await linkInMail(world.mailbox, 'countess@example.org', /^Reset your password/))
    await phoneEvents.expect('PASSWORD_RECOVERY')
  })

  it('signs in with an authenticator app, a recovery code, a passkey and Google', async () => {
    world.expectConsole(REFUSED)
    const email = 'grace@example.com'
    const grace = await signUp(world, email)
    const page = await world.openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await grace.enter(page)
    await page.goto('/account')
    const events = await listenTo(page)

    // The first code activates the authenticator app, and creates recovery codes.
    const apps = section(page, 'Authenticator app')
    await apps.getByRole('button', { name: 'Set up' }).click()
    await reauthenticate(page)
    const setup = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    await setup.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    await expectSoundPage(page)
    const secret = await setup.getByLabel('Key').inputValue()
    await setup.getByRole('button', { name: 'Copy key' }).click()
    await setup.getByText('Copied!').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    await setup.getByLabel('Code', { exact: true }).fill('12345')
    await setup.getByRole('button', { name: 'Verify and turn on' }).click()
    await setup.getByText(/^That code is wrong/).waitFor()
    await setup.getByLabel('Code', { exact: true }).fill(codeOf(secret, -1))
    await setup.getByRole('button', { name: 'Verify and turn on' }).click()
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    await codes.getByRole('listitem').first().waitFor()
    await expectSoundPage(page)
    const recoveryCodes = await codes.getByRole('listitem').allInnerTexts()
    expect(recoveryCodes).toHaveLength(10)
    await codes.getByRole('button', { name: 'Done' }).click()
    await codes.getByText(/^You haven't saved your codes/).waitFor()
    const download = page.waitForEvent('download')
    await codes.getByRole('button', { name: 'Download' }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toContain(recoveryCodes.join('\n'))
    await codes.getByRole('button', { name: 'Done' }).click()
    await codes.waitFor({ state: 'detached' })
    await section(page, 'Recovery codes').getByText('10 of 10 codes left').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Add another')
    await events.expect('MFA_CHALLENGE_VERIFIED')

    // Signing in now requires a code from the app, or a recovery code.
    await signOut(page)
    await events.expect('SIGNED_OUT')
    await logIn(page, email)
    const code = page.getByLabel('Code', { exact: true })
    await code.fill('000 000')
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Verify and log in' }).click()
    await page.getByText(/^That code is wrong or has expired/).waitFor()
    await code.fill(codeOf(secret))
    await page.getByRole('button', { name: 'Verify and log in' }).click()
    await page.waitForURL('**/dashboard')
    await signOut(page)

    // Joining the waitlist with Google requires a code, too, and then continues.
    await page.goto('/waitlist')
    await page.getByRole('button', { name: 'Sign up with Google' }).click()
    await signInAtGoogle(page, email)
    await page.waitForURL('**/login')
    await code.fill(recoveryCodes[1] ?? '')
    await page.getByRole('button', { name: 'Verify and log in' }).click()
    await page.waitForURL('**/waitlist')
    await page.getByRole('dialog').getByText(email).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/^Your position: #\d+$/).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('waitlistEmail'))).toBe(email)
    expect(await page.evaluate(() => sessionStorage.getItem('googleAuthInProgress'))).toBeNull()
    await page.goto('/dashboard')
    await signOut(page)
    await logIn(page, email)
    await code.fill(recoveryCodes[0] ?? '')
    await page.getByRole('button', { name: 'Verify and log in' }).click()
    await page.waitForURL('**/dashboard')

    // A passkey on a phone, after reauthentication with an emailed code.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/account')
    await section(page, 'Recovery codes').getByText('8 of 10 codes left').waitFor()
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = { protocol: 'ctap2', transport: 'internal', hasUserVerification: true } as const
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, hasResidentKey: true, isUserVerified: true, automaticPresenceSimulation: true },
    })
    const passkeys = section(page, 'Passkeys')
    await passkeys.getByLabel('Passkey name').fill('Pocket phoen')
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
    await proofDialog(page).getByRole('button', { name: 'Email me a code' }).click()
    await proofDialog(page).getByRole('button', { name: 'Email me a code' }).click()
    await proofDialog(page)
      .getByLabel('Code', { exact: true })
      .fill(await readEmailedCode(email))
    await expectSoundPage(page)
    // Only the front tab may request a passkey, but axe opens another tab.
    await page.bringToFront()
    await proofDialog(page).getByRole('button', { name: 'Confirm', exact: true }).click()
    await passkeys.getByRole('listitem').filter({ hasText: 'Pocket phoen' }).waitFor()
    await passkeys.getByRole('button', { name: 'Rename Pocket phoen' }).click()
    const renaming = page.getByRole('dialog', { name: 'Rename “Pocket phoen”' })
    await renaming.getByLabel('New name').fill(' ')
    await renaming.getByRole('button', { name: 'Save' }).click()
    await renaming.getByText('Name is required.').waitFor()
    await renaming.getByLabel('New name').fill('Pocket phone')
    await page.keyboard.press('Enter')
    await renaming.waitFor({ state: 'detached' })
    await passkeys.getByRole('listitem').filter({ hasText: 'Pocket phone' }).waitFor()
    const made = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(made.credentials.map(({ rpId }) => rpId)).toEqual(['localhost'])
    // A device can only have one passkey per account.
    await passkeys.getByLabel('Passkey name').fill('Again')
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
    await passkeys.getByText('This device already has a passkey for your account.').waitFor()
    expect(await passkeys.getByRole('listitem').count()).toBe(1)
    await expectSoundPage(page)

    await page.setViewportSize({ width: 1280, height: 900 })
    await signOut(page)
    await logIn(page, email)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/dashboard')

    // The passkey is also enough to create recovery codes and to remove the app.
    await page.goto('/account')
    await section(page, 'Recovery codes').getByRole('button', { name: 'Generate new codes' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Generate codes' }).click()
    await proofDialog(page).getByRole('button', { name: 'Use the passkey “Pocket phone”' }).click()
    await proofDialog(page).getByRole('button', { name: 'Use the passkey', exact: true }).click()
    await codes.getByRole('listitem').first().waitFor()
    const renewed = await codes.getByRole('listitem').allInnerTexts()
    expect(renewed.filter((code) => recoveryCodes.includes(code))).toEqual([])
    await codes.getByRole('button', { name: 'Copy codes' }).click()
    await codes.getByText('Copied!').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(renewed.join('\n'))
    await codes.getByRole('button', { name: 'Done' }).click()
    await apps.getByRole('button', { name: 'Remove Authenticator app' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await apps.getByText('Off').waitFor()
    await linkInMail(world.mailbox, email, /^Your second factor was changed/)
  })

  it('links and unlinks Google, ends sessions, exports data and deletes the account', async () => {
    world.expectConsole(REFUSED)
    const email = 'hedy@example.com'
    const hedy = await signUp(world, email)
    const page = await world.openPage({ dark: true })
    await hedy.enter(page)
    await page.goto('/account')

    // Google: canceled, then linked, then unlinked.
    const ways = section(page, 'Ways to sign in')
    await ways.getByRole('button', { name: 'Link Google' }).click()
    await reauthenticate(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('You canceled at Google. Nothing was changed.').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await ways.getByRole('button', { name: 'Link Google' }).click()
    await signInAtGoogle(page, 'hedy.lamarr@example.net')
    await ways.getByText('hedy.lamarr@example.net').waitFor()
    await expectSoundPage(page)
    await ways.getByRole('button', { name: 'Unlink Google' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click()
    await ways.getByText('hedy.lamarr@example.net').waitFor({ state: 'detached' })

    // After a session is ended here, the next click in it leads to the login page.
    const other = await world.openPage({ width: 390, height: 844 })
    await openAccount(other, email)
    await expectSoundPage(other)
    await page.reload()
    const sessions = section(page, 'Sessions')
    await sessions.getByText('Unknown place').first().waitFor()
    await sessions
      .getByRole('button', { name: /^Sign out of / })
      .first()
      .click()
    await page.getByText(/ signed out\.$/).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('sessions')
    await other.reload().catch(() => {})
    await other.waitForURL('**/login')
    await logIn(other, email)
    await other.waitForURL('**/account')
    await page.reload()
    await sessions.getByRole('button', { name: 'Sign out elsewhere' }).click()
    await page.getByText('Signed out on all other devices.').waitFor()
    await sessions.getByRole('button', { name: 'Sign out elsewhere' }).waitFor({ state: 'detached' })

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download my data' }).click()
    const archive = await download
    expect(archive.suggestedFilename()).toMatch(/^x-automated-\d{4}-\d\d-\d\d\.zip$/)
    expect(
      readFileSync(await archive.path())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')

    // Signs out everywhere, including here.
    await sessions.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(`${world.origin}/`)
    await openAccount(page, email)

    const goodbye = section(page, 'Delete account')
    const remove = goodbye.getByRole('button', { name: 'Delete my account' })
    await goodbye.getByLabel(/^Type /).fill('hedy@example')
    expect(await remove.isDisabled()).toBe(true)
    await goodbye.getByLabel(/^Type /).fill(email)
    await remove.click()
    await reauthenticate(page)
    await page.waitForURL(`${world.origin}/`)
    await page.getByText('Account deleted.').waitFor()
    await logIn(page, email)
    await page.getByText('Invalid email or password').waitFor()
  })
})
