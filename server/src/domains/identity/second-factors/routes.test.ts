import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { mailsTo, mailTo, makeAccount, prove, signIn, statusOf } from '../../../../test/accounts.ts'
import { expire } from '../../../../test/credentials.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { codeOf } from '../../../../test/one-time-codes.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { createPasskey } from '../../../../test/passkey.ts'
import { addFactor, allowCodesAgain } from '../../../../test/second-factors.ts'
import { revokeProof } from '../../../../test/sessions.ts'
import { authRefreshTokens, authSessions } from '../auth/tables.ts'
import { authFactors, authRecoveryCodes, authTickets } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
})

const ORIGIN = 'http://localhost:3000'
const post = (path: string, body: object) => call(app, 'POST', path, body)
const wrongCode = (secret: string) => {
  const good = [-1, 0, 1].map((steps) => codeOf(secret, steps))
  return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code)) ?? ''
}

async function withTotp() {
  const person = await makeAccount(app)
  await prove(person)
  const { body: factor } = await person.call('POST', '/auth/factors', { kind: 'totp', name: 'My phone' })
  const verified = await person.call('POST', `/auth/factors/${factor.id}/verify`, { code: codeOf(factor.secret) })
  await allowCodesAgain(app, person.id)
  return {
    person,
    id: factor.id as string,
    secret: factor.secret as string,
    uri: factor.uri as string,
    verified,
    recoveryCodes: verified.body.recoveryCodes as string[],
  }
}

async function withPasskey() {
  const person = await makeAccount(app)
  await prove(person)
  const passkey = createPasskey(ORIGIN)
  const { body: factor } = await person.call('POST', '/auth/factors', { kind: 'passkey' })
  const credential = passkey.create(factor.options)
  const verified = await person.call('POST', `/auth/factors/${factor.id}/verify`, { credential })
  return { person, passkey, id: factor.id as string, verified, recoveryCodes: verified.body.recoveryCodes as string[] }
}

const ticketOf = async (person: Person) => (await signIn(app, person.email)).body.ticket as string
const second = (ticket: string, proof: object) => post('/auth/sign-in/second-factor', { ticket, ...proof })
const challengeOf = async (ticket: string) => (await post('/auth/sign-in/challenge', { ticket })).body.options

describe('an authenticator app', () => {
  it('is active once it is verified, and returns recovery codes', async () => {
    const { person, secret, uri, verified, recoveryCodes } = await withTotp()
    expect(uri).toBe(
      `otpauth://totp/X-Automated:${encodeURIComponent(person.email)}?issuer=X-Automated&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    expect([verified.status, verified.body.success, recoveryCodes.length]).toEqual([200, true, 10])
    expect((await person.call('GET', '/auth/factors')).body).toEqual({
      factors: [
        {
          id: expect.any(String),
          kind: 'totp',
          name: 'My phone',
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
        },
      ],
      recoveryCodesLeft: 10,
    })
    await mailTo(app, person.email, /second factor was changed/)
  })

  it('is required by a sign-in before a session exists', async () => {
    const { person, secret } = await withTotp()
    const before = await app.db.$count(authSessions, eq(authSessions.userId, person.id))
    const { status, body } = await signIn(app, person.email)
    expect([status, body]).toEqual([200, { secondFactor: ['totp', 'recovery'], ticket: expect.any(String) }])
    expect(await app.db.$count(authSessions, eq(authSessions.userId, person.id))).toBe(before)
    const done = await second(body.ticket, { code: codeOf(secret) })
    expect([done.status, done.body.user.email]).toEqual([200, person.email])
    expect(await statusOf(app, done.body.token)).toBe(200)
  })

  it('is required after an emailed code too', async () => {
    const { person } = await withTotp()
    const { ticket } = (await post('/auth/otp', { email: person.email })).body
    const code = (await mailTo(app, person.email, /^Your code/)).subject.replace(/\D/g, '')
    expect((await post('/auth/verify', { ticket, code })).body).toMatchObject({ secondFactor: ['totp', 'recovery'] })
  })

  it('is not required before it is verified, and a wrong code does not verify it', async () => {
    const person = await makeAccount(app)
    await prove(person)
    const { body: factor } = await person.call('POST', '/auth/factors', { kind: 'totp' })
    const path = `/auth/factors/${factor.id}/verify`
    for (const proof of [
      { code: wrongCode(factor.secret) },
      {},
      { credential: createPasskey(ORIGIN).get({ challenge: 'x' }) },
    ]) {
      const refused = await person.call('POST', path, proof)
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CODE'])
    }
    expect((await signIn(app, person.email)).body.token).toEqual(expect.any(String))
    expect((await person.call('GET', '/auth/factors')).body.factors).toEqual([])
  })

  it('accepts the adjacent codes, and no code twice, even in parallel', async () => {
    const { person, secret } = await withTotp()
    for (const steps of [-1, 0, 1]) {
      await allowCodesAgain(app, person.id)
      expect([steps, (await second(await ticketOf(person), { code: codeOf(secret, steps) })).status]).toEqual([
        steps,
        200,
      ])
    }
    for (const steps of [-3, 3]) {
      await allowCodesAgain(app, person.id)
      expect((await second(await ticketOf(person), { code: codeOf(secret, steps) })).status).toBe(400)
    }
    await allowCodesAgain(app, person.id)
    const tickets = await Promise.all([ticketOf(person), ticketOf(person)])
    const code = codeOf(secret)
    const responses = await Promise.all(tickets.map((ticket) => second(ticket, { code })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await second(await ticketOf(person), { code: codeOf(secret, -1) })).status).toBe(400)
  })

  it('trusts a session for sensitive changes', async () => {
    const { person, id, secret } = await withTotp()
    await revokeProof(app, { userId: person.id })
    expect((await person.call('POST', `/auth/factors/${id}/challenge`)).body).toEqual({ options: null })
    const verified = await person.call('POST', `/auth/factors/${id}/verify`, { code: codeOf(secret) })
    expect(verified.body).toEqual({ success: true, recoveryCodes: null })
    expect((await person.call('DELETE', `/auth/factors/${id}`)).status).toBe(204)
    expect((await signIn(app, person.email)).body.token).toEqual(expect.any(String))
  })
})

describe('a ticket', () => {
  it('works once, for 10 minutes, and for 5 wrong tries', async () => {
    const { person, secret } = await withTotp()
    const used = await ticketOf(person)
    expect((await second(used, { code: codeOf(secret) })).status).toBe(200)
    await allowCodesAgain(app, person.id)
    expect((await second(used, { code: codeOf(secret) })).body.code).toBe('INVALID_CODE')

    const late = await ticketOf(person)
    await expire(app, 'ticket', late)
    expect((await second(late, { code: codeOf(secret) })).status).toBe(400)
    expect((await post('/auth/sign-in/challenge', { ticket: late })).status).toBe(400)

    const tried = await ticketOf(person)
    await Promise.all(Array.from({ length: 5 }, () => second(tried, { code: wrongCode(secret) })))
    expect((await second(tried, { code: codeOf(secret) })).status).toBe(400)
    expect((await second(await ticketOf(person), { code: codeOf(secret) })).status).toBe(200)
  })

  it('is valid for its own account only', async () => {
    const [first, other] = [await withTotp(), await withTotp()]
    expect((await second(await ticketOf(first.person), { code: codeOf(other.secret) })).status).toBe(400)
    expect((await second(await ticketOf(first.person), { code: other.recoveryCodes[0] })).status).toBe(400)
    expect((await second('x', { code: codeOf(first.secret) })).status).toBe(400)
  })

  it('returns 429 to guesses across tickets, while a recovery code still signs in', async () => {
    const { person, secret, recoveryCodes } = await withTotp()
    let limited = 0
    for (let i = 0; i < 13 && limited === 0; i++) {
      const ticket = await ticketOf(person)
      const tries = await Promise.all(Array.from({ length: 5 }, () => second(ticket, { code: wrongCode(secret) })))
      limited = tries.filter(({ status }) => status === 429).length
    }
    expect(limited).toBeGreaterThan(0)
    expect((await second(await ticketOf(person), { code: codeOf(secret) })).status).toBe(429)
    expect((await second(await ticketOf(person), { code: recoveryCodes[0] })).status).toBe(200)
  })
})

describe('recovery codes', () => {
  it('sign in once each', async () => {
    const { person, recoveryCodes } = await withTotp()
    const [first = '', two = ''] = recoveryCodes
    const responses = await Promise.all(
      [await ticketOf(person), await ticketOf(person)].map((ticket) => second(ticket, { code: first })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await second(await ticketOf(person), { code: ` ${two.toUpperCase().replaceAll('-', ' ')}` })).status).toBe(
      200,
    )
    expect((await person.call('GET', '/auth/factors')).body.recoveryCodesLeft).toBe(8)
    await vi.waitFor(async () => {
      const texts = (await mailsTo(app, person.email)).map(({ text }) => text)
      expect(
        texts.some((text) =>
          text.includes('A recovery code was used to log in to your X-Automated account. 9 codes left.'),
        ),
      ).toBe(true)
    }, 60_000)
  })

  it('replace the old ones when renewed, after reauthentication', async () => {
    const { person, recoveryCodes } = await withTotp()
    const renewed = await person.call('POST', '/auth/recovery-codes')
    expect([renewed.status, renewed.body.recoveryCodes.length]).toEqual([200, 10])
    expect((await second(await ticketOf(person), { code: recoveryCodes[0] })).status).toBe(400)
    expect((await second(await ticketOf(person), { code: renewed.body.recoveryCodes[0] })).status).toBe(200)
    await vi.waitFor(async () => {
      const texts = (await mailsTo(app, person.email)).map(({ text }) => text)
      expect(texts.some((text) => text.includes('New recovery codes were created'))).toBe(true)
    }, 60_000)
    await revokeProof(app, { userId: person.id })
    expect((await person.call('POST', '/auth/recovery-codes')).body.code).toBe('REAUTHENTICATION_NEEDED')
    expect((await (await makePerson(app)).call('POST', '/auth/recovery-codes')).body.code).toBe('FACTOR_NOT_FOUND')
  })
})

describe('a passkey', () => {
  it('can be enrolled and used to sign in', async () => {
    const { person, passkey, verified, recoveryCodes } = await withPasskey()
    expect([verified.status, recoveryCodes.length]).toEqual([200, 10])
    const { ticket, secondFactor } = (await signIn(app, person.email)).body
    expect(secondFactor).toEqual(['passkey', 'recovery'])
    const options = await challengeOf(ticket)
    expect(options).toMatchObject({ rpId: 'localhost', allowCredentials: [{ type: 'public-key' }] })
    const done = await second(ticket, { credential: passkey.get(options) })
    expect([done.status, done.body.user.email]).toEqual([200, person.email])
  })

  it('returns 400 for transports that cannot be stored', async () => {
    const person = await makeAccount(app)
    await prove(person)
    const { body: factor } = await person.call('POST', '/auth/factors', { kind: 'passkey' })
    const { response, ...credential } = createPasskey(ORIGIN).create(factor.options)
    for (const transports of [['\u0000'], ['usb', '\ud800'], 'usb', [{}]]) {
      const invalid = { ...credential, response: { ...response, transports } }
      const result = await person.call('POST', `/auth/factors/${factor.id}/verify`, { credential: invalid })
      expect([transports, result.status, result.body.code]).toEqual([transports, 400, 'INVALID_INPUT'])
    }
  })

  it('returns 400 for replayed responses and those of other challenges, sites and keys', async () => {
    const { person, passkey } = await withPasskey()
    const stranger = createPasskey(ORIGIN)
    const first = await ticketOf(person)
    const assertion = passkey.get(await challengeOf(first))
    expect((await second(first, { credential: assertion })).status).toBe(200)

    const refused = async (shownFor: (options: { challenge: string }) => object) => {
      const ticket = await ticketOf(person)
      const options = await challengeOf(ticket)
      expect((await second(ticket, { credential: shownFor(options) })).status).toBe(400)
    }
    await refused(() => assertion)
    await refused(() => passkey.get({ challenge: 'another' }))
    await refused((options) => ({ ...passkey.get(options), response: stranger.get(options).response }))
    await refused((options) => stranger.get(options))
    await refused((options) => {
      const { response, ...rest } = passkey.get(options)
      const client = Buffer.from(response.clientDataJSON, 'base64url').toString()
      const elsewhere = client.replace(ORIGIN, 'https://evil.example')
      return { ...rest, response: { ...response, clientDataJSON: Buffer.from(elsewhere).toString('base64url') } }
    })
    await refused(() => ({ id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'x' } }))
    await refused((options) => {
      passkey.turnBack()
      return passkey.get(options)
    })
    // No challenge was requested first.
    expect((await second(await ticketOf(person), { credential: assertion })).status).toBe(400)
  })

  it('uses up a challenge with a wrong response', async () => {
    const { person, passkey } = await withPasskey()
    const ticket = await ticketOf(person)
    const options = await challengeOf(ticket)
    const credential = passkey.get(options)
    const wrong = { ...credential, response: createPasskey(ORIGIN).get(options).response }
    expect((await second(ticket, { credential: wrong })).status).toBe(400)
    expect((await second(ticket, { credential })).status).toBe(400)
    expect((await second(ticket, { credential: passkey.get(await challengeOf(ticket)) })).status).toBe(200)
  })

  it('trusts a session for sensitive changes', async () => {
    const { person, passkey, id } = await withPasskey()
    await revokeProof(app, { userId: person.id })
    expect((await person.call('DELETE', `/auth/factors/${id}`)).body.code).toBe('REAUTHENTICATION_NEEDED')
    const { options } = (await person.call('POST', `/auth/factors/${id}/challenge`)).body
    const verified = await person.call('POST', `/auth/factors/${id}/verify`, { credential: passkey.get(options) })
    expect(verified.status).toBe(200)
    expect((await person.call('DELETE', `/auth/factors/${id}`)).status).toBe(204)
    expect(await app.db.$count(authRecoveryCodes, eq(authRecoveryCodes.userId, person.id))).toBe(0)
  })

  it('returns 400 when enrolled with another challenge or an existing passkey', async () => {
    const { passkey } = await withPasskey()
    const person = await makeAccount(app)
    await prove(person)
    for (const answerTo of [() => createPasskey(ORIGIN).create({ challenge: 'another' }), passkey.create]) {
      const { body: factor } = await person.call('POST', '/auth/factors', { kind: 'passkey' })
      const credential = answerTo(factor.options)
      const refused = await person.call('POST', `/auth/factors/${factor.id}/verify`, { credential })
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CODE'])
    }
    expect((await signIn(app, person.email)).status).toBe(200)
  })
})

describe('PATCH /auth/factors/{id}', () => {
  it('renames a factor', async () => {
    const { person, id } = await withTotp()
    const renamed = await person.call('PATCH', `/auth/factors/${id}`, { name: '  Work phone 📱 ' })
    expect([renamed.status, renamed.body]).toEqual([200, expect.objectContaining({ id, name: 'Work phone 📱' })])
    expect((await person.call('GET', '/auth/factors')).body.factors).toEqual([renamed.body])
  })

  it('returns 400 for invalid names, and 404 for foreign and unverified factors', async () => {
    const { person, id } = await withTotp()
    for (const name of ['', '  ', 'x'.repeat(101), 'a\u0000', 1])
      expect((await person.call('PATCH', `/auth/factors/${id}`, { name })).status).toBe(400)
    const { body: unfinished } = await person.call('POST', '/auth/factors', { kind: 'totp' })
    const stranger = await makeAccount(app)
    for (const [caller, factorId] of [
      [stranger, id],
      [person, unfinished.id],
    ] as const) {
      const refused = await caller.call('PATCH', `/auth/factors/${factorId}`, { name: 'stolen' })
      expect([refused.status, refused.body.code]).toEqual([404, 'FACTOR_NOT_FOUND'])
    }
    expect((await person.call('GET', '/auth/factors')).body.factors).toEqual([
      expect.objectContaining({ name: 'My phone' }),
    ])
  })
})

it('returns 403 for adding and removing without reauthentication', async () => {
  const person = await makeAccount(app)
  const refused = await person.call('POST', '/auth/factors', { kind: 'totp' })
  expect([refused.status, refused.body.code]).toEqual([403, 'REAUTHENTICATION_NEEDED'])
})

it('returns 400 over the maximum number of factors', async () => {
  const person = await makeAccount(app)
  await prove(person)
  for (let added = 0; added < 20; added += 1) await addFactor(app, person.id)
  expect((await person.call('POST', '/auth/factors', { kind: 'totp' })).body.code).toBe('INVALID_INPUT')
})

it('stores secrets, recovery codes and tickets sealed or hashed', async () => {
  const { person, secret, recoveryCodes } = await withTotp()
  const ticket = await ticketOf(person)
  const stored = JSON.stringify([
    await app.db.select().from(authFactors),
    await app.db.select().from(authRecoveryCodes),
    await app.db.select().from(authTickets),
    await app.db.select().from(authRefreshTokens),
  ])
  for (const hidden of [secret, ticket, recoveryCodes[0]!, recoveryCodes[0]!.replaceAll('-', '')])
    expect(stored).not.toContain(hidden)
})
