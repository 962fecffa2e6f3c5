import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call, makePerson, type Person } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { type Operation, operations, pathWith } from './operations.ts'

// Malicious input must be rejected or harmless, and never cause a server error.

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ unlimitedCalls: true })
  person = await makePerson(app)
  app.services.env.operators.push(person.email)
})

const SOME_ID = '01900000-0000-7000-8000-000000000000'
const changing = operations.filter((operation) => operation.method !== 'GET')
const takingInput = changing.filter((operation) => operation.takesInput)
const named = <T extends { name: string }>(list: T[]) => list.map((operation) => [operation.name, operation] as const)

/** Sends a body to an operation. */
function send(operation: Operation, body: string, headers: Record<string, string> = {}) {
  const path = pathWith(operation, SOME_ID)
  const caller = operation.access === 'public' ? call.bind(null, app) : person.call
  return caller(operation.method, path, body, headers)
}

const DEEP = {
  lists: `{"surprise":${'['.repeat(6_000)}${']'.repeat(6_000)}}`,
  objects: `${'{"surprise":'.repeat(6_000)}1${'}'.repeat(6_000)}`,
}

/** Unusual but valid JSON. */
const ODD = {
  'half a surrogate pair': '{"surprise":"\\ud800","\\udfff":"\\udfff"}',
  'NUL characters': '{"surprise":"\\u0000","\\u0000":1}',
  'numbers that no double holds': '{"surprise":1e400,"more":-1e400,"digits":123456789012345678901234567890}',
  'keys of a prototype': '{"surprise":{"__proto__":{"x":1}},"constructor":{"prototype":{"x":1}},"toString":1}',
}

/** Bodies that take long to read. All operations read them with the same code, so few are called with them. */
const LARGE = {
  'as deep as a body can hold': `{"surprise":${'['.repeat(130_000)}${']'.repeat(130_000)}}`,
  'ten thousand keys': `{${Array.from({ length: 10_000 }, (_, n) => `"key${n}":${n}`).join(',')}}`,
}

describe('every operation with side effects', () => {
  it.each(named(changing))('returns 400 from %s for deeply nested JSON', async (_, operation) => {
    for (const [kind, body] of Object.entries(DEEP)) {
      const response = await send(operation, body)
      expect([kind, response.status, response.body.code]).toEqual([kind, 400, 'INVALID_INPUT'])
    }
    const keyed = await send(operation, DEEP.lists, { 'idempotency-key': randomUUID() })
    expect([keyed.status, keyed.body.code]).toEqual([400, 'INVALID_INPUT'])
  })

  it.each(named(takingInput))('returns 400 from %s for odd JSON', async (_, operation) => {
    for (const [kind, body] of Object.entries(ODD)) {
      const response = await send(operation, body)
      expect([kind, response.status, response.body.code]).toEqual([kind, 400, 'INVALID_INPUT'])
    }
    const keyed = await send(operation, ODD['NUL characters'], { 'idempotency-key': randomUUID() })
    expect([keyed.status, keyed.body.code]).toEqual([400, 'INVALID_INPUT'])
  })

  it.each(Object.entries(LARGE))('returns 400 for a large body: %s', async (_, body) => {
    const perAccess = Map.groupBy(takingInput, ({ access }) => access)
    expect(perAccess.size).toBeGreaterThan(3)
    for (const [operation] of perAccess.values())
      for (const headers of [undefined, { 'idempotency-key': randomUUID() }]) {
        const response = await send(operation!, body, headers)
        expect([operation!.name, response.status, response.body.code]).toEqual([operation!.name, 400, 'INVALID_INPUT'])
      }
  })
})

describe('a body', () => {
  const nested = (levels: number) => `${'{"description":'.repeat(levels)}""${'}'.repeat(levels)}`

  it('is rejected with 400 beyond 50 levels, and with field errors below', async () => {
    const [deep, shallow] = [
      await person.call('POST', '/lists', nested(51)),
      await person.call('POST', '/lists', nested(50)),
    ]
    expect([deep.status, deep.body.error]).toEqual([400, 'The body is nested too deeply.'])
    expect([shallow.status, shallow.body.details[0].field]).toEqual([400, 'name'])
  })
})

describe('a name in emails', () => {
  const named: Record<string, (name: string) => Promise<Answer>> = {
    'of a workspace': (name) => person.call('PATCH', '/workspace', { name }),
    'of a person': (name) => person.call('PATCH', '/auth/user', { name }),
    'of a person who signs up': (name) =>
      call(app, 'POST', '/auth/sign-up/email', { email: 'new@example.com', password: 'Long-enough1', name }),
    'of a campaign': (name) =>
      person.call('POST', '/campaigns', { name, leadListId: SOME_ID, messageTemplate: 'Hi', status: 'draft' }),
    'of a second factor': (name) => person.call('POST', '/auth/factors', { kind: 'totp', name }),
  }

  it.each(Object.keys(named))('has one line without control characters or URLs: %s', async (whose) => {
    for (const name of [
      'Your account is locked: https://evil.example',
      'ｈｔｔｐｓ：／／evil.example',
      'ⓦⓦⓦ．evil.example',
      'Acme\r\nBcc: victim@example.com',
      'Acme\u2028Pay here',
      'Acme\u202egro.live',
      'Acme\u2066',
      'Acme\u0007',
    ]) {
      const response = await named[whose]!(name)
      expect([name, response.status, response.body.details?.[0]?.field]).toEqual([name, 400, 'name'])
    }
    for (const name of [' Müller & Söhne: “Acme” 🎉 / שלום ', 'Acme.io', 'evil.example/login now']) {
      const fine = await named[whose]!(name)
      expect(fine.body.details?.[0]?.field).not.toBe('name')
    }
  })
})
