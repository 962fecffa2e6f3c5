import { describe, expect, test } from 'vitest'
import { allowsDemo, isLoopback, serverEnvironment, wantsStandIns } from './environment.ts'

describe('wantsStandIns', () => {
  test.each([
    ['nothing is set', {}, true],
    [
      'empty variables count as unset',
      { DATABASE_URL: '', PUBLIC_URL: '', HOST: '', STAND_INS: '', NODE_ENV: '' },
      true,
    ],
    ['everything is local', { HOST: '::1', PUBLIC_URL: 'http://127.0.0.1:8080' }, true],
    ['a local host name', { PUBLIC_URL: 'http://app.localhost:3000' }, true],
    ['production', { NODE_ENV: 'production' }, false],
    ['an external database', { DATABASE_URL: 'postgresql://db/x' }, false],
    ['a public address', { PUBLIC_URL: 'https://x-automated.example' }, false],
    ['a public address that starts like a local one', { PUBLIC_URL: 'https://127.0.0.1.example' }, false],
    ['a public host', { HOST: '0.0.0.0' }, false],
    ['turned on in production', { NODE_ENV: 'production', HOST: '0.0.0.0', STAND_INS: 'on' }, true],
    ['turned off locally', { STAND_INS: 'off' }, false],
  ])('decides whether to run stand-ins: %s', (_name, env, wanted) => {
    expect(wantsStandIns(env)).toBe(wanted)
  })
})

test.each([
  ['nothing is set', {}, true],
  ['a real X', { X_API_URL: 'https://api.x.com' }, false],
  ['real email', { SMTP_URL: 'smtp://mail' }, false],
  ['stand-ins on a public host', { STAND_INS: 'on', HOST: '0.0.0.0' }, false],
  ['no stand-ins', { STAND_INS: 'off' }, false],
])('allowsDemo decides whether to create the demo account: %s', (_name, env, may) => {
  expect(allowsDemo(env)).toBe(may)
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['[::1]', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example', false],
])('isLoopback(%s) returns %s', (host, loopback) => {
  expect(isLoopback(host)).toBe(loopback)
})

describe('serverEnvironment', () => {
  const standIns = {
    x: 'http://127.0.0.1:1',
    google: 'http://127.0.0.1:4',
    sso: 'http://127.0.0.1:5',
    dns: '127.0.0.1:6',
    payments: 'http://127.0.0.1:4',
    paymentsSecretKey: 'sk',
    paymentLinks: { pro_monthly: 'http://127.0.0.1:4/buy/pro' },
    model: 'http://127.0.0.1:7/v1',
    modelKey: 'model key',
    mailbox: 'http://127.0.0.1:2',
    smtp: 'smtp://127.0.0.1:3',
    xClientId: 'id',
    xClientSecret: 'secret',
    xConsumerSecret: 'consumer secret',
    xBearerToken: 'bearer token',
    googleClientId: 'google id',
    googleClientSecret: 'google secret',
  }

  test('passes the environment through without stand-ins', () => {
    expect(serverEnvironment({ PORT: '1' }, undefined)).toEqual({ PORT: '1', STAND_INS: 'off' })
  })

  test('uses stand-ins for unconfigured services and a short interval', () => {
    expect(serverEnvironment({ PORT: '1' }, standIns)).toEqual({
      PORT: '1',
      STAND_INS: 'on',
      X_API_URL: standIns.x,
      X_CLIENT_ID: 'id',
      X_CLIENT_SECRET: 'secret',
      X_CONSUMER_SECRET: 'consumer secret',
      X_BEARER_TOKEN: 'bearer token',
      GOOGLE_ISSUER: standIns.google,
      GOOGLE_CLIENT_ID: 'google id',
      GOOGLE_CLIENT_SECRET: 'google secret',
      STRIPE_API_URL: standIns.payments,
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_LINK_PRO_MONTHLY: standIns.paymentLinks.pro_monthly,
      AI_BASE_URL: standIns.model,
      AI_API_KEY: 'model key',
      AI_MODEL: 'stand-in',
      AI_INPUT_CENTS_PER_MILLION: '15',
      AI_OUTPUT_CENTS_PER_MILLION: '60',
      DNS_SERVER: standIns.dns,
      SMTP_URL: standIns.smtp,
      SEND_INTERVAL_SECONDS: '2',
    })
  })

  test('keeps the keys and the interval of a real X', () => {
    const env = { X_API_URL: 'https://api.x.com', X_CLIENT_ID: 'mine' }
    const server = serverEnvironment(env, standIns)
    expect(server).toMatchObject({ ...env, STAND_INS: 'on', SMTP_URL: standIns.smtp })
    expect(server).not.toHaveProperty('X_CLIENT_SECRET')
    expect(server).not.toHaveProperty('SEND_INTERVAL_SECONDS')
  })

  test('keeps the keys of a real Google', () => {
    const env = { GOOGLE_CLIENT_ID: 'mine' }
    const server = serverEnvironment(env, standIns)
    expect(server).toMatchObject(env)
    expect(server).not.toHaveProperty('GOOGLE_ISSUER')
    expect(server).not.toHaveProperty('GOOGLE_CLIENT_SECRET')
  })

  test('keeps variables that are set, including 0', () => {
    const server = serverEnvironment({ SEND_INTERVAL_SECONDS: '0', SMTP_URL: 'smtp://mail.example' }, standIns)
    expect(server).toMatchObject({ SEND_INTERVAL_SECONDS: '0', SMTP_URL: 'smtp://mail.example' })
  })
})
