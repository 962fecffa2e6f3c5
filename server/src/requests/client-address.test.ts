import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, makePerson } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { clientAddress } from './client-address.ts'

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::'],
    ['[2001:db8:1:2::9]:51234', '2001:db8:1:2::'],
    ['fe80::1%eth0', 'fe80::'],
    ['unknown', 'unknown'],
  ])('normalizes %s to %s', (address, written) => expect(clientAddress(address)).toBe(written))
})

describe('limits per address', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await openApp({ env: { TRUST_PROXY: 'loopback' } })
  })

  const newEmail = () => `m${randomBytes(5).toString('hex')}@example.com`
  /** Creates a /64 that no one else uses, and returns a generator of addresses in it. */
  const newNetwork = () => {
    const network = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`
    return () => `${network}:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
  }
  const post = (path: string, body: unknown, address: string, headers = {}) =>
    call(app, 'POST', path, body, { 'x-forwarded-for': address, ...headers })

  const calls = {
    'joins per minute': { points: 30, send: (by: string) => post('/waitlist/join', { email: newEmail() }, by) },
    'position lookups per minute': {
      points: 20,
      send: (by: string) => post('/waitlist/position', { email: newEmail() }, by),
    },
    'sign-ups per hour': {
      points: 30,
      send: (by: string) => post('/auth/sign-up/email', { email: newEmail(), password: 'Long-enough1' }, by),
    },
    'pairing code guesses per 15 minutes': {
      points: 30,
      send: (by: string) => post('/extension/pair', { code: 'ABCD-EFGH', version: '1.0.0' }, by),
    },
  }

  it.each(Object.entries(calls))('treats the addresses of one /64 as one client: %s', async (_, { points, send }) => {
    const anyOf = newNetwork()
    const responses = await Promise.all(Array.from({ length: points + 1 }, () => send(anyOf())))
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await send(newNetwork()())).status).not.toBe(429)
  })

  it('treats IPv4-mapped IPv6 addresses as IPv4', async () => {
    const { points, send } = calls['joins per minute']
    const forms = ['198.51.100.9', '::ffff:198.51.100.9', '::ffff:c633:6409']
    const responses = await Promise.all(
      Array.from({ length: points + 1 }, (_, n) => send(forms[n % forms.length] ?? '')),
    )
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  it('counts wrong passwords for an account from one /64 as guesses of one client', async () => {
    const { email } = await makePerson(app)
    const anyOf = newNetwork()
    const guesses = Array.from({ length: 11 }, () =>
      post('/auth/sign-in/email', { email, password: 'Wrong-one1' }, anyOf()),
    )
    expect((await Promise.all(guesses)).filter(({ status }) => status === 429)).toHaveLength(1)
  })

  it('recognizes a repeated public call by its Idempotency-Key from any address of the /64', async () => {
    const anyOf = newNetwork()
    const key = { 'idempotency-key': randomUUID() }
    const first = await post('/waitlist/join', { email: newEmail() }, anyOf(), key)
    expect(first.status).toBe(200)
    const other = await post('/waitlist/join', { email: newEmail() }, anyOf(), key)
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await post('/waitlist/join', { email: newEmail() }, newNetwork()(), key)).status).toBe(200)
  })
})
