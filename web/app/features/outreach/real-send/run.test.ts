import type { Claim } from '@x-automated/contract/outreach/sending'
import { expect, test } from 'vitest'
import type { ExtensionReply } from './extension-link'
import { type RunDeps, runCampaign } from './run'

const claimOf = (handle: string): Claim => ({
  dmId: `dm of ${handle}`,
  lease: `lease of ${handle}`,
  leadId: handle,
  twitterHandle: handle,
  xUserId: null,
  message: `Hi ${handle}`,
  leaseExpiresAt: '',
  sendsAs: null,
})
const sent: ExtensionReply<object> = { success: true }
const failed = (error: string, end: string, code?: string) =>
  ({ success: false, error, end, code }) as ExtensionReply<object>

/** Runs a campaign with these due messages and replies. @returns how it ended and everything it did, in order */
async function run(
  due: (string | { inSeconds: number | null } | Error)[],
  replies: (ExtensionReply<object> | Error)[] = [],
  over: Partial<RunDeps> = {},
) {
  const did: unknown[] = []
  const end = await runCampaign({
    queued: due.length,
    async claim() {
      const next = due.shift() ?? { inSeconds: null }
      if (next instanceof Error) throw next
      return typeof next === 'string' ? { claim: claimOf(next) } : next
    },
    async ask({ twitterHandle }, notAfter) {
      did.push(`ask ${twitterHandle}`)
      expect(notAfter).toBe(90_000)
      const reply = replies.shift() ?? sent
      if (reply instanceof Error) throw reply
      return reply
    },
    async record({ twitterHandle }, outcome) {
      did.push([twitterHandle, outcome])
      return { campaignCompleted: false }
    },
    release: async ({ twitterHandle }, inboxUnclear) =>
      did.push(`${inboxUnclear ? 'put off' : 'release'} ${twitterHandle}`),
    wait: async (ms) => void did.push(`wait ${ms}`),
    waitUntil: async (until) => void did.push(`wait until ${until}`),
    onProgress: ({ index, total, handle }) => did.push(`${index} of ${total}: @${handle}`),
    onWait: () => {},
    onError: (text) => did.push(`error: ${text}`),
    onPutOff: (text) => did.push(`note: ${text}`),
    isOver: (error) => (error as Error).message === 'over',
    isUnderWay: (error) => (error as Error).message === 'under way',
    textOf: (error) => (error as Error).message,
    now: () => 0,
    ...over,
  })
  return { end, did }
}

test('sends and records messages one by one when the server makes them due', async () => {
  expect(await run(['ada', { inSeconds: 60 }, 'bob'])).toEqual({
    end: 'finished',
    did: [
      '1 of 3: @ada',
      'ask ada',
      ['ada', { wasSent: true }],
      'wait until 60000',
      '2 of 3: @bob',
      'ask bob',
      ['bob', { wasSent: true }],
    ],
  })
})

test('stops after the outcome that completes the campaign', async () => {
  const { end, did } = await run(['ada', 'bob'], [], { record: async () => ({ campaignCompleted: true }) })
  expect([end, did]).toEqual(['completed', ['1 of 2: @ada', 'ask ada']])
})

test('ends if nothing is queued, the campaign is paused or the server refuses', async () => {
  expect((await run([])).end).toBe('nothing')
  expect(await run(['ada', new Error('over')])).toMatchObject({ end: 'over' })
  expect(await run([new Error('No.')])).toEqual({ end: 'stopped', did: ['error: No.'] })
})

const afterFirst = (did: unknown[]) => did.slice(2)
const nextSent = ['2 of 2: @bob', 'ask bob', ['bob', { wasSent: true }]]

test.each<[string, (ExtensionReply<object> | Error)[], unknown[]]>([
  [
    'a failure of this lead',
    [failed('Closed.', 'failed')],
    [['ada', { wasSent: false, errorMessage: 'Closed.', outcomeUnknown: false }], ...nextSent],
  ],
  [
    'an unknown outcome',
    [failed('Unknown.', 'unknown')],
    [['ada', { wasSent: false, errorMessage: 'Unknown.', outcomeUnknown: true }], ...nextSent],
  ],
  [
    'another person under the handle',
    [failed('Another.', 'failed', 'WRONG_PERSON')],
    [['ada', { wasSent: false, reason: { code: 'identity', params: {} } }], ...nextSent],
  ],
  [
    'a message request of the person',
    [failed('Request.', 'failed', 'MESSAGE_REQUEST')],
    [['ada', { wasSent: false, reason: { code: 'replied', params: {} } }], ...nextSent],
  ],
  [
    'a person of whom X shows too little',
    [failed('Unclear.', 'later', 'CANNOT_TELL')],
    ['note: Unclear.', 'put off ada', ...nextSent],
  ],
  [
    'several people of whom X shows too little',
    [failed('Unclear.', 'stop', 'CANNOT_TELL_IN_A_ROW')],
    ['put off ada', 'error: Unclear.'],
  ],
  ['a message that was called back', [failed('Paused.', 'called-back')], nextSent],
  ['an error that affects every message', [failed('Sign in.', 'stop')], ['release ada', 'error: Sign in.']],
  [
    'a lost reply that a second request returns',
    [failed('Lost.', 'unclear'), sent],
    ['wait 2000', 'ask ada', ['ada', { wasSent: true }], ...nextSent],
  ],
  [
    'a reply lost twice',
    [failed('Lost.', 'unclear'), failed('Lost.', 'unclear')],
    ['wait 2000', 'ask ada', ['ada', { wasSent: false, errorMessage: 'Lost.', outcomeUnknown: true }], 'error: Lost.'],
  ],
  [
    'an exception',
    [new Error('Boom')],
    [
      'error: Error processing DM for @ada: Boom',
      ['ada', { wasSent: false, errorMessage: 'Critical error during DM attempt: Boom', outcomeUnknown: true }],
      ...nextSent,
    ],
  ],
])('handles %s', async (_what, replies, did) => {
  expect(afterFirst((await run(['ada', 'bob'], replies)).did)).toEqual(did)
})

test('skips a lead without a handle', async () => {
  const { did } = await run([' @ ', 'bob'])
  expect(did).toContainEqual([' @ ', { wasSent: false, reason: { code: 'lead_missing', params: {} } }])
  expect(did).not.toContain('ask  @ ')
})

test('reports a rejected outcome and continues, and retries after a network error', async () => {
  let tries = 0
  const refused = await run(['ada', 'bob'], [], {
    async record() {
      throw new Error('Not yours.')
    },
  })
  expect(refused.did).toContain('error: Failed to record outcome for @ada: Not yours.')
  expect(refused.end).toBe('finished')
  const lost = await run(['ada'], [], {
    async record() {
      tries += 1
      if (tries < 3) throw new TypeError('Failed to fetch')
      return { campaignCompleted: true }
    },
  })
  expect([lost.end, tries]).toEqual(['completed', 3])
})

test('stops after three refusals by X in a row', async () => {
  const no = failed('X rejected the message: No.', 'failed', 'X_REFUSED')
  const { end, did } = await run(['ada', 'bob', 'eve', 'fay'], [no, no, no])
  expect([end, did.at(-1)]).toEqual(['stopped', 'error: X rejected the message: No.'])
  expect(did).not.toContain('ask fay')
})

test('repeats a claim without a response under its key, and uses a new key for the next', async () => {
  const lost = new TypeError('Failed to fetch')
  const outcomes = [lost, new Error('under way'), { claim: claimOf('ada') }, lost, lost, lost, lost]
  const keys: string[] = []
  const { end, did } = await run([], [], {
    async claim(key) {
      keys.push(key)
      const outcome = outcomes.shift() ?? { inSeconds: null }
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  })
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 0, 3, 3, 3, 3])
  expect(did.slice(0, 3)).toEqual(['wait 2000', 'wait until 2000', '1 of 1: @ada'])
  expect(did.slice(-4)).toEqual(['wait 2000', 'wait 4000', 'wait 6000', 'error: Failed to fetch'])
  expect(end).toBe('stopped')
})
