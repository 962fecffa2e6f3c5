import { createHash, randomBytes } from 'node:crypto'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { expect } from 'vitest'
import { authIdentities, authUsers } from '../src/domains/identity/auth/tables.ts'
import { hashPassword } from '../src/passwords.ts'
import { type Answer, call, makePerson, type Person } from './makers.ts'
import { matching, type Which, type Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'

/** The password of every account made here. */
export const PASSWORD = 'Correct-horse1'
/** Hashed once, because hashing is slow by design. */
const hashed = hashPassword(PASSWORD)

/**
 * Creates a signed-in account with a password. `confirmed: false` leaves the email address
 * unconfirmed.
 */
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
  if (!confirmed) await changeUser(app, { id: person.id }, { emailVerified: false })
  return person
}

type Users = Which<typeof authUsers>

/** Inserts an account that cannot sign in. */
export async function insertUser({ db }: Writer, email: string, emailVerified = true): Promise<void> {
  await db.insert(authUsers).values({ email, name: email, emailVerified })
}

/** Changes fields of the accounts, such as the name, the email address or whether it is verified. */
export async function changeUser(
  { db }: Writer,
  which: Users,
  set: PgUpdateSetSource<typeof authUsers>,
): Promise<void> {
  await db.update(authUsers).set(set).where(matching(authUsers, which))
}

/** Deletes the rows of accounts, without the other effects of a deletion. */
export async function deleteUsers({ db }: Writer, which: Users): Promise<void> {
  await db.delete(authUsers).where(matching(authUsers, which))
}

/** A verifier and its challenge, as browsers make them (RFC 7636). */
export function pkce(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = randomBytes(32).toString('base64url')
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') }
}

/** Allows this session to make sensitive changes for a while. */
export async function prove(person: Person): Promise<void> {
  await person.call('POST', '/auth/reauthenticate', { password: PASSWORD })
}

/** Signs in by password over HTTP. */
export function signIn(app: TestApp, email: string, password = PASSWORD): Promise<Answer> {
  return call(app, 'POST', '/auth/sign-in/email', { email, password })
}

/** The status of GET /me with a token. */
export async function statusOf(app: Pick<TestApp, 'url'>, token: string): Promise<number> {
  return (await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${token}` })).status
}

export interface Letter {
  subject: string
  text: string
  html: string
  at: string
}

/** All emails to an address, newest first. */
export async function mailsTo(app: TestApp, email: string): Promise<Letter[]> {
  const response = await fetch(`${app.mailbox.url}/messages?to=${encodeURIComponent(email)}`)
  return (await response.json()) as Letter[]
}

/** Waits for an email to an address with this subject, and returns the newest. */
export async function mailTo(app: TestApp, email: string, subject: RegExp): Promise<Letter> {
  for (let tries = 0; tries < 1_200; tries++) {
    const mail = (await mailsTo(app, email)).find((letter) => subject.test(letter.subject))
    if (mail) return mail
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no email to ${email} about ${subject}`)
}

/** The first link in an email whose URL contains `part`. */
export function linkIn(mail: Letter, part: string): URL {
  const link = mail.text.match(/https?:\/\/\S+/g)?.find((url) => url.includes(part))
  if (!link) throw new Error(`no link with ${part} in ${mail.subject}`)
  return new URL(link)
}

/**
 * Signs up over HTTP and waits for the email. @returns the link's token, and the browser's cookie
 */
export async function beginSignUp(
  app: TestApp,
  email: string,
  input: { password?: string; codeChallenge?: string; referralCode?: string } = {},
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; token: string; cookie: string }> {
  const before = (await mailsTo(app, email)).length
  const response = await call(app, 'POST', '/auth/sign-up/email', { email, password: PASSWORD, ...input }, headers)
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  await expect.poll(async () => (await mailsTo(app, email)).length, { timeout: 60_000 }).toBeGreaterThan(before)
  const link = linkIn(await mailTo(app, email, /Confirm your email/), 'verify-email')
  return { answer: response, token: link.searchParams.get('token') ?? '', cookie }
}

/** Opens the emailed link of a sign-up. @returns the page that it leads to */
export async function openLink(app: TestApp, token: string, cookie = ''): Promise<URL> {
  const response = await call(app, 'GET', `/auth/verify-email?token=${encodeURIComponent(token)}`, undefined, {
    cookie,
  })
  expect(response.status).toBe(302)
  return new URL(response.headers.get('location') ?? '')
}
