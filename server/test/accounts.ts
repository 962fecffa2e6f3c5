import { createHash, randomBytes } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { authIdentities, authUsers } from '../src/domains/auth/tables.ts'
import { type Answer, call, makePerson, type Person } from './makers.ts'
import type { TestApp } from './open-app.ts'

/** The password of everybody whom this file makes. */
export const PASSWORD = 'Correct-horse1'
/** Slow by design, so once for all. */
const hashed = hashPassword(PASSWORD)

/** Somebody who is signed in and has a password, without the sign-up; `confirmed: false` where nobody has opened the mail yet. */
export async function makeAccount(
  app: TestApp,
  { confirmed = true, ...options }: { confirmed?: boolean } & Parameters<typeof makePerson>[1] = {},
): Promise<Person> {
  const person = await makePerson(app, options)
  await app.db.insert(authIdentities).values({
    userId: person.id,
    providerId: 'credential',
    accountId: person.id,
    password: await hashed,
  })
  if (!confirmed) await app.db.update(authUsers).set({ emailVerified: false }).where(eq(authUsers.id, person.id))
  return person
}

/** A verifier and its challenge, as a browser makes them (RFC 7636). */
export function pkce(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = randomBytes(32).toString('base64url')
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') }
}

/** Lets this session make sensitive changes for a while. */
export async function prove(person: Person): Promise<void> {
  await person.call('POST', '/auth/reauthenticate', { password: PASSWORD })
}

/** A password sign-in, over HTTP. */
export function signIn(app: TestApp, email: string, password = PASSWORD): Promise<Answer> {
  return call(app, 'POST', '/auth/sign-in/email', { email, password })
}

/** Status of GET /me with a token. */
export async function statusOf(app: Pick<TestApp, 'url'>, token: string): Promise<number> {
  return (await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${token}` })).status
}

export interface Letter {
  subject: string
  text: string
  html: string
  at: string
}

/** All mail that has come to an address, the newest first. */
export async function mailsTo(app: TestApp, email: string): Promise<Letter[]> {
  const answer = await fetch(`${app.mailbox.url}/messages?to=${encodeURIComponent(email)}`)
  return (await answer.json()) as Letter[]
}

/** The newest mail to an address about a subject; waits for it. */
export async function mailTo(app: TestApp, email: string, subject: RegExp): Promise<Letter> {
  for (let tries = 0; tries < 300; tries++) {
    const mail = (await mailsTo(app, email)).find((one) => subject.test(one.subject))
    if (mail) return mail
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no mail to ${email} about ${subject}`)
}

/** The first link in a mail whose address holds `part`. */
export function linkIn(mail: Letter, part: string): URL {
  const link = mail.text.match(/https?:\/\/\S+/g)?.find((found) => found.includes(part))
  if (!link) throw new Error(`no link with ${part} in ${mail.subject}`)
  return new URL(link)
}

/** Signs up over HTTP and waits for the link. @returns its token, and the cookie of the browser that signed up */
export async function beginSignUp(
  app: TestApp,
  email: string,
  input: { password?: string; codeChallenge?: string; referralCode?: string } = {},
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; token: string; cookie: string }> {
  const before = (await mailsTo(app, email)).length
  const answer = await call(app, 'POST', '/auth/sign-up/email', { email, password: PASSWORD, ...input }, headers)
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  await expect.poll(async () => (await mailsTo(app, email)).length, { timeout: 15_000 }).toBeGreaterThan(before)
  const link = linkIn(await mailTo(app, email, /Confirm your email/), 'verify-email')
  return { answer, token: link.searchParams.get('token') ?? '', cookie }
}

/** Opens the emailed link of a sign-up. @returns the page that it leads to */
export async function openLink(app: TestApp, token: string, cookie = ''): Promise<URL> {
  const answer = await call(app, 'GET', `/auth/verify-email?token=${encodeURIComponent(token)}`, undefined, { cookie })
  expect(answer.status).toBe(302)
  return new URL(answer.headers.get('location') ?? '')
}
