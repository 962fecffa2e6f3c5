import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnv } from './env.ts'

const AUTH_SECRET = 'a secret for tests, long enough to pass'

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

describe('TRUST_PROXY', () => {
  it.each([
    [undefined, false],
    ['off', false],
    ['loopback', 'loopback'],
    ['10.0.0.0/8, 127.0.0.1', '10.0.0.0/8, 127.0.0.1'],
    ['fd00::/8', 'fd00::/8'],
  ])('parses %s', (TRUST_PROXY, trusted) => {
    expect(readEnv({ AUTH_SECRET, TRUST_PROXY }).trustProxy).toBe(trusted)
  })

  it.each(['on', 'everybody', '10.0.0.0/33', '10.0.0', '127.0.0.1/8/8'])('rejects %s by name', (TRUST_PROXY) => {
    expect(() => readEnv({ AUTH_SECRET, TRUST_PROXY })).toThrow(/^TRUST_PROXY /)
  })
})

describe('SUPPORT_EMAIL', () => {
  it('falls back to MAIL_FROM, and to no contact without either', () => {
    const production = { NODE_ENV: 'production', AUTH_SECRET }
    expect(readEnv(production).hasContact).toBe(false)
    expect(readEnv({ ...production, SUPPORT_EMAIL: 'help@acme.test' })).toMatchObject({
      supportEmail: 'help@acme.test',
      hasContact: true,
    })
    const MAIL_FROM = 'Acme <hello@acme.test>'
    expect(readEnv({ ...production, MAIL_FROM }).supportEmail).toBe('hello@acme.test')
  })
})

describe('PRIORITY_SUPPORT_EMAIL and STRATEGY_CALL_URL', () => {
  it('fall back to the support address', () => {
    expect(readEnv({ AUTH_SECRET, SUPPORT_EMAIL: 'help@acme.test' })).toMatchObject({
      prioritySupportEmail: 'help@acme.test',
      strategyCallUrl: 'mailto:help@acme.test',
    })
    const own = { PRIORITY_SUPPORT_EMAIL: 'vip@acme.test', STRATEGY_CALL_URL: 'https://cal.acme.test/call' }
    expect(readEnv({ AUTH_SECRET, ...own })).toMatchObject({
      prioritySupportEmail: 'vip@acme.test',
      strategyCallUrl: 'https://cal.acme.test/call',
    })
  })

  it.each([
    ['PRIORITY_SUPPORT_EMAIL', 'nobody'],
    ['STRATEGY_CALL_URL', 'javascript:alert(1)'],
    ['STRATEGY_CALL_URL', 'cal.acme.test'],
  ])('rejects %s=%s by name', (name, value) => {
    expect(() => readEnv({ AUTH_SECRET, [name]: value })).toThrow(new RegExp(`^${name} `))
  })
})

describe('AUTH_SECRET', () => {
  it('is created once per DATA_DIR, readable by its owner only', () => {
    const DATA_DIR = newDataDir()
    const made = readEnv({ DATA_DIR }).authSecret
    expect(made.length).toBeGreaterThanOrEqual(32)
    expect(readEnv({ DATA_DIR }).authSecret).toBe(made)
    expect(statSync(join(DATA_DIR, 'auth-secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(DATA_DIR, 'auth-secret'), 'utf8').trim()).toBe(made)
  })

  it('is never an empty file left by a crash', () => {
    const DATA_DIR = newDataDir()
    readEnv({ DATA_DIR })
    writeFileSync(join(DATA_DIR, 'auth-secret'), '')
    expect(() => readEnv({ DATA_DIR })).toThrow(/does not contain a secret/)
  })

  it('is not replaced if a database was encrypted with the lost one', () => {
    const DATA_DIR = newDataDir()
    readEnv({ DATA_DIR })
    rmSync(join(DATA_DIR, 'auth-secret'))
    writeFileSync(join(DATA_DIR, 'database.json'), '{}')
    expect(() => readEnv({ DATA_DIR })).toThrow(`${join(DATA_DIR, 'auth-secret')} is missing`)
    expect(existsSync(join(DATA_DIR, 'auth-secret'))).toBe(false)
    expect(readEnv({ DATA_DIR, AUTH_SECRET }).authSecret).toBe(AUTH_SECRET)
  })

  it('is required in production and must be long enough', () => {
    expect(() => readEnv({ NODE_ENV: 'production' })).toThrow('AUTH_SECRET is required')
    expect(() => readEnv({ AUTH_SECRET: 'short' })).toThrow('at least 32 characters')
  })
})

describe('STRIPE_…', () => {
  it('disables payments without a key, and uses Stripe by default with one', () => {
    expect(readEnv({ AUTH_SECRET, STRIPE_LINK_PRO_MONTHLY: 'https://buy.stripe.com/a' }).payments).toBeNull()
    expect(readEnv({ AUTH_SECRET, STRIPE_SECRET_KEY: 'sk' }).payments).toEqual({
      apiUrl: 'https://api.stripe.com',
      secretKey: 'sk',
      webhookSecret: null,
      links: { pro_monthly: null, pro_yearly: null, agency_monthly: null, agency_yearly: null },
    })
    const named = {
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_API_URL: 'http://127.0.0.1:1/',
      STRIPE_WEBHOOK_SECRET: 'whsec',
      STRIPE_LINK_AGENCY_YEARLY: 'https://buy.stripe.com/b',
    }
    expect(readEnv({ AUTH_SECRET, ...named }).payments).toMatchObject({
      apiUrl: 'http://127.0.0.1:1',
      webhookSecret: 'whsec',
      links: { pro_monthly: null, agency_yearly: 'https://buy.stripe.com/b' },
    })
  })

  it('rejects an invalid payment link by name', () => {
    expect(() => readEnv({ AUTH_SECRET, STRIPE_LINK_PRO_YEARLY: 'buy it' })).toThrow(/^STRIPE_LINK_PRO_YEARLY /)
  })
})
