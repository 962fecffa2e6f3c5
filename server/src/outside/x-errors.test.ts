import { describe, expect, it } from 'vitest'
import { errorOf, isUnknownProblem, MEANINGS, problemOf, type XErrorKind } from './x-errors.ts'

const LIMIT = { retryAt: new Date('2026-11-28T12:00:00Z'), limitOf: 'app' as const }
const type = (name: string) => `https://api.x.com/2/problems/${name}`
type Body = Record<string, unknown> | null

/** A code and a message in each of the forms of X's older API. */
const coded = (code: number, message = 'Error'): Body[] => [
  { code, message },
  { errors: [{ code, message }] },
  { errors: [{ code: String(code), message }] },
]
/** A detail in each of the forms that have one. */
const withDetail = (detail: string): Body[] => [
  { title: 'Forbidden', detail, type: 'about:blank', status: 403 },
  { code: 0, message: detail },
  { errors: [{ message: detail }] },
  { title: detail, type: 'about:blank' },
]

/** Each row of the table: what X sends, and what it means. */
const ROWS: [name: string, statuses: number[], bodies: Body[], kind: XErrorKind][] = [
  ['a page of Cloudflare below 5xx', [400, 401, 403, 404, 429], [null], 'unavailable'],
  ['a page of Cloudflare from 5xx on', [500, 502, 503, 520, 524], [null], 'unknown'],
  ['a success that is cut off', [200, 201], [null], 'unknown'],
  [
    'no credits',
    [402],
    [
      { title: 'CreditsDepleted', detail: 'Your account has no credits.', type: type('credits'), status: 402 },
      { title: 'Payment Required', type: 'about:blank' },
      {},
    ],
    'funds',
  ],
  [
    'a spending limit',
    [403],
    [
      { title: 'SpendCapReached', detail: 'Blocked until the next cycle.', type: type('spend-cap'), status: 403 },
      ...withDetail('Your enrolled account has reached its spending limit.'),
      ...withDetail('Your account does not have any credits to fulfill this request.'),
      ...withDetail('Monthly spending has been exceeded.'),
      { title: 'Forbidden', reason: 'SpendCapReached' },
      { code: 'CreditsDepleted', message: 'Forbidden' },
      { errors: [{ title: 'Forbidden', type: type('spend-cap') }] },
    ],
    'funds',
  ],
  [
    'a usage cap',
    [429, 403],
    [
      { title: 'UsageCapExceeded', detail: 'Usage cap exceeded: Monthly product cap', type: type('usage-capped') },
      { errors: [{ type: type('usage-capped') }] },
    ],
    'funds',
  ],
  ['151', [403, 400, 200], [...coded(151), ...withDetail('You already said that.')], 'unknown'],
  [
    '64',
    [403, 401, 200],
    [...coded(64), ...withDetail('Your account is suspended and is not permitted to do this.')],
    'account',
  ],
  ['226', [403, 200], [...coded(226), ...withDetail('This request looks like it might be automated.')], 'account'],
  [
    '326',
    [403, 200],
    [...coded(326), ...withDetail('To protect our users, this account is temporarily locked.')],
    'account',
  ],
  ['476', [403, 400], [...coded(476), ...withDetail('Users who are not verified to send message requests')], 'premium'],
  [
    '349',
    [403, 400, 200],
    [
      ...coded(349),
      ...withDetail('You do not have permission to DM one or more participants.'),
      ...withDetail('You cannot send messages to this user.'),
    ],
    'recipient',
  ],
  ['an X Chat conversation', [403, 400], withDetail('onlyEncryptedMessagesAllowed'), 'encrypted'],
  ['a duplicate', [409], [{ title: 'Conflict' }, {}], 'duplicate'],
  [
    'a duplicate subscription',
    [400, 403],
    [{ title: 'DuplicateSubscriptionFailed', detail: 'It exists already.' }, ...withDetail('Duplicate subscription')],
    'duplicate',
  ],
  ['an operation that is not permitted', [403, 400], withDetail('This operation is not permitted.'), 'forbidden'],
  [
    'any other 403',
    [403],
    [
      { title: 'Forbidden', detail: 'Forbidden', type: 'about:blank', status: 403 },
      { title: 'Client Forbidden', type: type('client-forbidden') },
      ...coded(179),
      {},
    ],
    'forbidden',
  ],
  [
    'a person who hides their posts',
    [200],
    [{ errors: [{ title: 'Authorization Error', detail: 'Sorry.', type: type('not-authorized-for-resource') }] }],
    'forbidden',
  ],
  ['50', [404, 400, 200], coded(50), 'not-found'],
  [
    'a missing person',
    [404, 200],
    [{ errors: [{ title: 'Not Found Error', detail: 'Could not find.', type: type('resource-not-found') }] }],
    'not-found',
  ],
  ['any other 404', [404], [{ title: 'Not Found', type: 'about:blank' }, {}, ...coded(34)], 'not-found'],
  [
    'an app whose id or secret is wrong',
    [400, 401],
    [
      { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      { error: 'invalid_client' },
    ],
    'app',
  ],
  [
    'a connection that is over',
    [400, 401],
    [{ error: 'invalid_grant', error_description: 'Value passed for the token was invalid.' }],
    'credentials',
  ],
  [
    'a token that is over',
    [401],
    [{ title: 'Unauthorized', type: 'about:blank', status: 401 }, ...coded(32), {}],
    'unauthorized',
  ],
  [
    'a limit',
    [429, 420],
    [{ title: 'Too Many Requests', type: type('rate-limit-exceeded'), status: 429 }, ...coded(88), {}],
    'rate-limit',
  ],
  [
    'a request that X does not understand',
    [400],
    [
      {
        title: 'Invalid Request',
        detail: 'One or more parameters to your request was invalid.',
        type: type('invalid-request'),
      },
      ...coded(214),
      {},
    ],
    'invalid',
  ],
  [
    'trouble at X',
    [500, 502, 503, 504],
    [{ title: 'Service Unavailable', type: 'about:blank' }, ...coded(131), {}],
    'unknown',
  ],
  ['an unknown error in a success', [200], [{ errors: [{ title: 'Strange', type: type('strange') }] }], 'unknown'],
  ['an unknown error', [405, 410, 422, 451], [{ title: 'Strange' }, {}], 'invalid'],
]

describe('the meaning of an error', () => {
  it.each(
    ROWS.flatMap(([name, statuses, bodies, kind]) =>
      statuses.flatMap((status) =>
        bodies.map((body): [string, number, Body, XErrorKind] => [name, status, body, kind]),
      ),
    ),
  )('of %s (%i %j) is %s', (_, status, body, kind) => {
    expect(errorOf(problemOf(status, 'Text', body), LIMIT).kind).toBe(kind)
  })

  it('has a row in the table that each of these cases needs', () => {
    const problems = ROWS.flatMap(([, statuses, bodies]) =>
      statuses.flatMap((status) => bodies.map((body) => problemOf(status, '', body))),
    )
    const used = new Set(problems.map((problem) => MEANINGS.find(({ when }) => when(problem))))
    expect(MEANINGS.filter((meaning) => !used.has(meaning))).toEqual([])
  })

  it('names the limit that is used up only for a limit', () => {
    expect(errorOf(problemOf(429, '', {}), LIMIT)).toMatchObject(LIMIT)
    expect(errorOf(problemOf(402, '', {}), LIMIT)).toMatchObject({ retryAt: null, limitOf: 'account' })
  })

  it('says of 151 alone that the message may have been delivered', () => {
    const flagged = ROWS.filter(([, statuses, bodies]) =>
      bodies.some((body) => errorOf(problemOf(statuses[0]!, '', body), LIMIT).mayBeDelivered),
    )
    expect(flagged.map(([name]) => name)).toEqual(['151'])
  })

  it('tells a suspended person from a missing one', () => {
    const suspended = {
      errors: [{ title: 'Forbidden', detail: 'User has been suspended: [ana].', type: type('resource-not-found') }],
    }
    expect(errorOf(problemOf(200, 'OK', suspended), LIMIT)).toMatchObject({ kind: 'not-found', isSuspended: true })
    const missing = { errors: [{ detail: 'Could not find user.', type: type('resource-not-found') }] }
    expect(errorOf(problemOf(200, 'OK', missing), LIMIT)).toMatchObject({ kind: 'not-found', isSuspended: false })
  })

  it("is said in X's words, the detail before the title", () => {
    const message = (body: Body, statusText = 'Bad Request') => errorOf(problemOf(400, statusText, body), LIMIT).message
    expect(message({ title: 'Invalid Request', detail: 'The text is too long.' })).toBe('The text is too long.')
    expect(message({ title: 'Invalid Request', errors: [{ message: 'Too long.' }] })).toBe('Too long.')
    expect(message({ title: 'Invalid Request' })).toBe('Invalid Request')
    expect(message({ detail: 5 })).toBe('Bad Request')
    expect(message({}, '')).toBe('X rejected the request.')
  })

  it.each<[Body, Record<string, string[]>]>([
    [
      { errors: [{ parameters: { 'dm_event.fields': ['sender_id,id'] }, message: 'M' }] },
      { 'dm_event.fields': ['sender_id', 'id'] },
    ],
    [{ parameter: 'expansions', value: 'sender_id', type: type('invalid-request') }, { expansions: ['sender_id'] }],
    [
      { errors: [{ message: 'The `user.fields` query parameter value [a,b] is not one of [id]' }] },
      { 'user.fields': ['a', 'b'] },
    ],
    [{ errors: [{ parameter: 'text' }] }, { text: [] }],
    [{ errors: 'no' }, {}],
    [{ errors: [null, 5, { parameters: null }] }, {}],
  ])('%j names its parameters', (body, parameters) => {
    expect(Object.fromEntries(problemOf(400, '', body).parameters)).toEqual(parameters)
  })

  it('is not documented if X did not answer, or answered something new', () => {
    expect(isUnknownProblem(problemOf(502, '', null))).toBe(true)
    expect(isUnknownProblem(problemOf(451, '', {}))).toBe(true)
    expect(isUnknownProblem(problemOf(200, '', { errors: [{}] }))).toBe(true)
    for (const status of [400, 401, 402, 403, 404, 409, 429, 500])
      expect([status, isUnknownProblem(problemOf(status, '', {}))]).toEqual([status, false])
  })
})
