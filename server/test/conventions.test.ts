import { connect } from 'node:net'
import { ERROR_STATUS, type FieldProblem } from '@x-automated/contract/errors'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../src/db/open.ts'
import { changeUser } from './accounts.ts'
import { type Answer, call, makePerson, type Person } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { type JsonSchema, operations, pathWith } from './operations.ts'

// Checks conventions on every operation of the contract.

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
  app.services.env.operators.push(person.email)
})

const SOME_ID = '01900000-0000-7000-8000-000000000000'
const changing = operations.filter((operation) => operation.method !== 'GET')
const ofOperators = operations.filter((operation) => operation.access === 'operator')
const signedIn = operations.filter((operation) => operation.access !== 'public' && operation.access !== 'operator')
const named = <T extends { name: string }>(list: T[]) => list.map((operation) => [operation.name, operation] as const)

/** The top-level fields of an operation's input that are not in its path. */
function bodyFieldsOf({ path, input }: (typeof operations)[number]) {
  return Object.entries(input.properties ?? {}).filter(([field]) => !path.includes(`{${field}}`))
}

function expectEnvelope(response: Answer, status: number, code: string) {
  expect([response.status, response.body.code]).toEqual([status, code])
  expect(response.body).toMatchObject({ success: false, error: expect.stringMatching(/\S/) })
  expect(Object.keys(response.body).every((key) => ['success', 'code', 'error', 'details'].includes(key))).toBe(true)
  expect(ERROR_STATUS[code as keyof typeof ERROR_STATUS]).toBe(status)
}

describe('every signed-in operation', () => {
  it.each(named(signedIn))('returns 401 from %s without a token', async (_, operation) => {
    expectEnvelope(await call(app, operation.method, pathWith(operation, SOME_ID)), 401, 'UNAUTHORIZED')
  })

  it.each(named(signedIn.filter((operation) => operation.access !== 'viewer')))(
    'returns 403 from %s to a viewer',
    async (_, operation) => {
      const viewer = await makePerson(app, { in: person, role: 'viewer' })
      expectEnvelope(
        await viewer.call(
          operation.method,
          pathWith(operation, SOME_ID),
          operation.takesInput && operation.method !== 'GET' ? {} : undefined,
        ),
        403,
        'FORBIDDEN',
      )
    },
  )
})

describe('every operation of operators', () => {
  it.each(named(ofOperators))('returns the same 404 from %s to all others as an unknown path', async (_, operation) => {
    const stranger = await makePerson(app)
    // An unverified address in OPERATORS grants nothing.
    const unverified = await makePerson(app)
    app.services.env.operators.push(unverified.email)
    await changeUser(app, { id: unverified.id }, { emailVerified: false })
    const body = operation.method === 'GET' ? undefined : { surprise: true }
    const path = pathWith(operation, SOME_ID)
    const nothing = await call(app, operation.method, '/nothing/here', body)
    const responses = [
      await call(app, operation.method, path, body),
      await call(app, operation.method, path, body, { authorization: 'Bearer a.b.c' }),
      await stranger.call(operation.method, path, body, { 'idempotency-key': 'some-key' }),
      await unverified.call(operation.method, path, body),
    ]
    for (const response of responses) {
      expectEnvelope(response, 404, 'NOT_FOUND')
      expect(response.body).toEqual(nothing.body)
      expect([...response.headers.keys()].sort()).toEqual([...nothing.headers.keys()].sort())
      expect(response.headers.get('content-type')).toBe(nothing.headers.get('content-type'))
    }
  })
})

describe('every operation that changes something', () => {
  const withBody = changing.filter((operation) => operation.takesInput)

  it.each(named(changing))('returns 400 from %s for an unknown key', async (_, operation) => {
    const response = await person.call(operation.method, pathWith(operation, SOME_ID), { surprise: true })
    expectEnvelope(response, 400, 'INVALID_INPUT')
    expect(JSON.stringify(response.body.details)).toContain('surprise')
  })

  it.each(named(withBody.filter((operation) => bodyFieldsOf(operation).length > 0)))(
    'returns 400 from %s for a field of its body in the query',
    async (_, operation) => {
      const path = pathWith(operation, SOME_ID)
      const fields = bodyFieldsOf(operation).map(([field]) => field)
      const query = new URLSearchParams(['utm_source', ...fields].map((field) => [field, 'true']))
      const response = await person.call(operation.method, `${path}?${query}`)
      expectEnvelope(response, 400, 'INVALID_INPUT')
      expect(response.body.details).toMatchObject([
        { field: fields[0], problem: expect.stringContaining('query string') },
      ])
    },
  )

  it.each(named(withBody))(
    'returns 400 from %s for invalid JSON, non-objects and prototype keys',
    async (_, operation) => {
      for (const body of [
        '{',
        '[]',
        '"text"',
        'null',
        '{"__proto__":{"x":1}}',
        '{"constructor":{"prototype":{"x":1}}}',
        '\u0000',
      ]) {
        expectEnvelope(await person.call(operation.method, pathWith(operation, SOME_ID), body), 400, 'INVALID_INPUT')
      }
    },
  )

  it.each(named(withBody))('returns 400 from %s for another content type', async (_, operation) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
      const response = await person.call(operation.method, pathWith(operation, SOME_ID), 'a=b', {
        'content-type': type,
      })
      expectEnvelope(response, 400, 'INVALID_INPUT')
    }
  })

  it.each(named(withBody))('returns 413 from %s for a body over 256 KiB', async (_, operation) => {
    const body = JSON.stringify({ surprise: 'x'.repeat(256 * 1024) })
    expectEnvelope(await person.call(operation.method, pathWith(operation, SOME_ID), body), 413, 'BODY_TOO_LARGE')
  })
})

describe('every operation with invalid input', () => {
  /** Schema jargon, which means nothing to users. */
  const SCHEMA_WORDS =
    /invalid input|\bexpected\b|\breceived\b|regex|pattern|zod|undefined|\bnull\b|\bNaN\b|unrecognized|too (big|small)|invalid (string|option|union|type|value|key|element)|\[object/i
  const WRONG = [null, 5, -1.5, true, 'x', '', '\u0000', 'x'.repeat(20_000), [], {}]

  /** Fills the schema with this value: every field at any depth, and a single entry per list. */
  function filled(schema: JsonSchema, wrong: unknown): unknown {
    if (schema.properties)
      return Object.fromEntries(Object.entries(schema.properties).map(([key, field]) => [key, filled(field, wrong)]))
    return schema.type === 'array' && schema.items && !Array.isArray(wrong) ? [filled(schema.items, wrong)] : wrong
  }

  const inQuery = (input: Record<string, unknown>) =>
    new URLSearchParams(Object.entries(input).map(([key, value]) => [key, String(value)]))

  it.each(named(operations.filter(({ takesInput }) => takesInput)))(
    'returns one sentence per invalid field from %s',
    async (_, operation) => {
      const { method } = operation
      const path = pathWith(operation, SOME_ID)
      const fields = bodyFieldsOf(operation)
      const input: JsonSchema = { properties: Object.fromEntries(fields) }
      const bodies = [
        {},
        { surprise: true },
        ...WRONG.map((wrong) => filled(input, wrong)),
        ...WRONG.map((wrong) => Object.fromEntries(fields.map(([field]) => [field, wrong]))),
      ]
      const makeCaller = async () => {
        const caller = await makePerson(app)
        app.services.env.operators.push(caller.email)
        return caller
      }
      let caller = await makeCaller()
      let refused = 0
      // Without fields, most of these bodies are equal, so send each distinct body once.
      for (const body of new Map(bodies.map((body) => [JSON.stringify(body), body])).values()) {
        const response =
          method === 'GET'
            ? await caller.call('GET', `${path}?${inQuery(body as Record<string, unknown>)}`)
            : await caller.call(method, path, body)
        expect(response.status).not.toBe(500)
        if (response.body.code !== 'INVALID_INPUT') {
          // The call may have succeeded and ended the session.
          caller = await makeCaller()
          continue
        }
        refused += 1
        expect(response.body.error).not.toMatch(SCHEMA_WORDS)
        const details = (response.body.details ?? []) as FieldProblem[]
        expect(new Set(details.map(({ field }) => field)).size).toBe(details.length)
        for (const { field, problem } of details) {
          expect([field, problem]).toEqual([expect.any(String), expect.stringMatching(/^(?!The body is)[A-Z“].{6,}/)])
          expect(problem.replaceAll(/“[^”]*”/g, '')).not.toMatch(SCHEMA_WORDS)
        }
      }
      // Queries ignore unknown keys.
      if (method !== 'GET') expect(refused).toBeGreaterThan(0)
    },
  )
})

describe('every operation with query parameters', () => {
  const reading = operations.filter((operation) => operation.method === 'GET' && operation.takesInput)

  it.each(named(reading))('returns 400 from %s for invalid query parameters', async (_, operation) => {
    const path = pathWith(operation, SOME_ID)
    expectEnvelope(
      await person.call(
        'GET',
        `${path}?page=0&pageSize=x&period=0&cursor=%00&days=0&from=0&cycle=0&minFollowers=x&xAccountId[x]=0`,
      ),
      400,
      'INVALID_INPUT',
    )
  })
})

describe('every operation with an id in its path', () => {
  const onOne = operations.filter((operation) => operation.path.includes('{'))
  // Valid bodies, so that only the id is wrong.
  const bodies: Record<string, unknown> = {
    'xAccount.consent': { storesConversations: false, offersUnknownSenders: false },
    'conversations.answer': { text: 'x', afterMessageId: SOME_ID },
    'conversations.saveDraft': { text: 'x' },
    'campaignDrafts.save': { version: 1 },
    'notes.create': { text: 'x' },
    'notes.update': { text: 'x' },
    'lists.update': { name: 'x' },
    'tags.update': { name: 'x' },
    'tags.merge': { into: SOME_ID },
    'savedFilters.update': { name: 'x' },
    'lists.members': { leadIds: [SOME_ID] },
    'lists.addLeads': { leadIds: [SOME_ID] },
    'lists.removeLeads': { leadIds: [SOME_ID] },
    'campaigns.update': { name: 'x' },
    'people.update': { role: 'viewer' },
    'campaigns.claim': { holder: 'test' },
    'secondFactors.verify': { code: '123456' },
    'secondFactors.rename': { name: 'x' },
    'campaigns.recordOutcome': { lease: SOME_ID, wasSent: true },
    'campaigns.confirm': { lease: SOME_ID },
    'campaigns.release': { lease: SOME_ID },
    'openers.estimate': { filter: {} },
    'openers.create': { filter: {} },
    'openers.approve': { openers: [{ id: SOME_ID, version: 1 }] },
    'sequences.save': { version: 1, steps: [{ variants: [{ messageTemplate: 'Hi' }] }] },
  }

  it.each(named(onOne))('returns 404 from %s for unknown and malformed ids', async (_, operation) => {
    // A new person for each operation, because calls per minute and person are limited.
    const caller = await makePerson(app)
    app.services.env.operators.push(caller.email)
    for (const id of [SOME_ID, 'x', '1', "'; drop table leads; --", '%00', 'ü'.repeat(20)]) {
      const body = operation.method === 'GET' ? undefined : (bodies[operation.name] ?? undefined)
      const response = await caller.call(operation.method, pathWith(operation, encodeURIComponent(id)), body)
      expect([id, response.status, response.body.success]).toEqual([id, 404, false])
    }
  })
})

describe('other paths', () => {
  it.each([
    ['/session/authorize', undefined],
    ['/scrapes/estimate', { twitterHandle: 'f9_x', type: 'followers' }],
  ])('returns 503 from POST %s if X is not configured', async (path, body) => {
    expectEnvelope(await person.call('POST', path, body), 503, 'X_UNAVAILABLE')
  })

  it.each([
    ['GET', '/nothing'],
    ['POST', '/'],
    ['PUT', '/lists'],
    ['GET', '/auth/sign-in/social'],
    ['POST', '/auth/sign-in/social'],
    ['GET', '/auth/get-session'],
    ['POST', '/auth/change-password'],
    ['GET', '/auth/token'],
  ])('returns 404 in the envelope for %s %s', async (method, path) => {
    expectEnvelope(await call(app, method, path), 404, 'NOT_FOUND')
  })

  it.each(['/api/%zz', '/api/campaigns/%ff', '/%'])(
    'returns 400 in the envelope for the malformed path %s',
    async (path) => {
      const response = await fetch(app.origin + path)
      expect([response.status, await response.json()]).toEqual([
        400,
        { success: false, code: 'INVALID_INPUT', error: 'The URL is malformed.' },
      ])
      expect(response.headers.get('x-request-id')).toBeTruthy()
    },
  )

  it.each([
    ['what is no request', 'nonsense\r\n\r\n', 400, 'INVALID_INPUT'],
    [
      'a head that is too large',
      `GET /api/me HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
      413,
      'BODY_TOO_LARGE',
    ],
  ])('returns the envelope for %s', async (_, request, status, code) => {
    const response = await sendRaw(app.origin, request)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, code })
  })

  it('sets no cookie and allows no other origin', async () => {
    const { headers } = await person.call('GET', '/me', undefined, {
      origin: 'https://evil.example',
      cookie: 'x-automated.session_token=x',
    })
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    '/api/me',
    '/api/waitlist/count',
    '/api/nothing',
    '/api/%zz',
    '/api/docs',
    '/',
    '/embed',
    '/metrics',
    '/nothing',
  ])('disallows camera, microphone and location on %s, and allows passkeys only for our own pages', async (path) => {
    const policy = (await fetch(app.origin + path)).headers.get('permissions-policy')?.split(', ')
    expect(policy).toEqual(
      expect.arrayContaining(['camera=()', 'microphone=()', 'geolocation=()', 'publickey-credentials-get=(self)']),
    )
  })

  it('does not authenticate by cookie', async () => {
    expectEnvelope(
      await call(app, 'GET', '/me', undefined, { cookie: `authToken=${person.token}` }),
      401,
      'UNAUTHORIZED',
    )
  })
})

describe('GET /api/openapi.json', () => {
  it('describes every operation with its responses in the envelope', async () => {
    const { body } = await call(app, 'GET', '/openapi.json')
    expect(body.openapi).toMatch(/^3\.1/)
    for (const operation of operations) {
      const described = body.paths[operation.path]?.[operation.method.toLowerCase()]
      expect(described?.operationId, operation.name).toBe(operation.name)
      const byKey = operation.scope ? [{ apiKey: [operation.scope] }] : []
      const security = operation.access === 'public' ? [] : [{ bearer: [] }, ...byKey]
      expect(described.security, operation.name).toEqual(security)
      if (operation.scope) expect(described.description, operation.name).toContain(`\`${operation.scope}\``)
      const statuses = new Set(operation.declared.map((code) => String(ERROR_STATUS[code])))
      for (const status of statuses)
        expect(Object.keys(described.responses), `${operation.name} ${status}`).toContain(status)
    }
    // The lead import is not a typed operation. It can be canceled while it runs.
    expect(body.paths['/leads/import'].post.responses['409'].description).toContain('IMPORT_STATE')
  })
})

describe('GET /api/docs', () => {
  it('is a page with only our own scripts and styles', async () => {
    const { body, headers, status } = await call(app, 'GET', '/docs')
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    for (const [, source] of body.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const file = await fetch(app.origin + source)
      expect([source, file.status]).toEqual([source, 200])
      await file.arrayBuffer()
    }
  })
})

/** Sends raw bytes that no HTTP client would send, and returns the response. */
async function sendRaw(origin: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.end(request)
  let response = ''
  for await (const chunk of socket) response += chunk
  return response
}

describe('every workspace table but the earliest', () => {
  /** Includes x_apps: the operator's app has no workspace, and X accounts refer to their app by its id alone. */
  const earliest = [
    ...['campaigns', 'dm_activity', 'dms', 'extension_codes', 'extension_pairings', 'imports', 'lead_lists'],
    ...['lead_removals', 'leads', 'notifications', 'paid_subscriptions', 'past_contacts', 'replies', 'saved_filters'],
    ...['scrapes', 'sending_limits', 'sso_connections', 'sso_domains', 'suppressions', 'tags', 'workspace_choices'],
    ...['workspace_invitations', 'x_accounts', 'x_apps', 'x_authorizations'],
  ]

  /** Tables with a workspace_id whose primary key starts with something else, or that have a trigger. */
  const findProblems = async (db: Db) => {
    const { rows } = await db.execute<{ name: string; key: string[]; triggers: string[] }>(sql`
      select t.relname as name,
        array(select a.attname::text from pg_index i, unnest(i.indkey) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
          where i.indrelid = t.oid and i.indisprimary order by k.place) as key,
        array(select g.tgname::text from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal) as triggers
      from pg_class t
      where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'workspace_id')
      order by t.relname`)
    return rows.filter(({ key, triggers }) => key[0] !== 'workspace_id' || triggers.length > 0).map(({ name }) => name)
  }

  it('has a primary key that starts with workspace_id, and no trigger', async () => {
    expect(await findProblems(app.db)).toEqual(earliest)
  })

  it('is found if it has not', async () => {
    const reported = await app.db
      .transaction(async (tx) => {
        await tx.execute(sql`create table later_rows (id uuid primary key, workspace_id uuid not null)`)
        await tx.execute(sql`create table later_counts (workspace_id uuid, id uuid, primary key (workspace_id, id))`)
        await tx.execute(sql`
          create trigger later_counts_kept before update on later_counts execute function suppress_redundant_updates_trigger()`)
        throw await findProblems(tx)
      })
      .catch((problems: unknown) => problems)
    expect(reported).toEqual([...earliest, 'later_counts', 'later_rows'].sort())
  })
})
