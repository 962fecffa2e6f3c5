import type { Claim } from '@x-automated/contract/campaigns'
import { expect, test } from 'vitest'
import type { ExtensionReply } from './extension-link'
import { type RunDeps, runCampaign } from './run'

const claimOf = (handle: string): Claim => ({
  dmId: `dm of ${handle}`,
  lease: `lease of ${handle}`,
  leadId: handle,
  twitterHandle: handle,
  message: `Hi ${handle}`,
  leaseExpiresAt: '',
  sendsAs: null,
})
const sent: ExtensionReply<object> = { success: true }
const failed = (error: string, end: string, code?: string) =>
  ({ success: false, error, end, code }) as ExtensionReply<object>

/** A run over these messages, and everything it did, in its order. */
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
    release: async ({ twitterHandle }) => did.push(`give back ${twitterHandle}`),
    wait: async (ms) => void did.push(`wait ${ms}`),
    rest: async (until) => void did.push(`rest until ${until}`),
    onProgress: ({ index, total, handle }) => did.push(`${index} of ${total}: @${handle}`),
    onWait: () => {},
    onError: (words) => did.push(`error: ${words}`),
    isOver: (error) => (error as Error).message === 'over',
    wordsOf: (error) => (error as Error).message,
    now: () => 0,
    ...over,
  })
  return { end, did }
}

test('one after the other, each asked and recorded, at the server’s pace; no wait after the last', async () => {
  expect(await run(['ada', { inSeconds: 60 }, 'bob'])).toEqual({
    end: 'finished',
    did: [
      '1 of 3: @ada',
      'ask ada',
      ['ada', { wasSent: true }],
      'rest until 60000',
      '2 of 3: @bob',
      'ask bob',
      ['bob', { wasSent: true }],
    ],
  })
})

test('stops with the outcome that completes the campaign', async () => {
  const { end, did } = await run(['ada', 'bob'], [], { record: async () => ({ campaignCompleted: true }) })
  expect([end, did]).toEqual(['completed', ['1 of 2: @ada', 'ask ada']])
})

test('nothing is queued; or it was paused', async () => {
  expect((await run([])).end).toBe('nothing')
  expect(await run(['ada', new Error('over')])).toMatchObject({ end: 'over' })
  expect(await run([new Error('No.')])).toEqual({ end: 'stopped', did: ['error: No.'] })
})

const first = (did: unknown[]) => did.slice(2)
const goesOn = ['2 of 2: @bob', 'ask bob', ['bob', { wasSent: true }]]

test.each<[string, (ExtensionReply<object> | Error)[], unknown[]]>([
  [
    'the lead’s own failure',
    [failed('Closed.', 'failed')],
    [['ada', { wasSent: false, errorMessage: 'Closed.' }], ...goesOn],
  ],
  [
    'an end that nobody knows',
    [failed('Unknown.', 'unknown')],
    [['ada', { wasSent: false, errorMessage: 'Unknown.', outcomeUnknown: true }], ...goesOn],
  ],
  ['a message that was called back', [failed('Paused.', 'called-back')], goesOn],
  ['what would hinder the next one too', [failed('Sign in.', 'stop')], ['give back ada', 'error: Sign in.']],
  ['no extension', [failed('Gone.', 'down')], ['give back ada', 'error: Gone.']],
  [
    'a lost answer that is told when asked again',
    [failed('Lost.', 'unclear'), sent],
    ['wait 2000', 'ask ada', ['ada', { wasSent: true }], ...goesOn],
  ],
  [
    'an answer lost twice',
    [failed('Lost.', 'unclear'), failed('Lost.', 'unclear')],
    ['wait 2000', 'ask ada', ['ada', { wasSent: false, errorMessage: 'Lost.', outcomeUnknown: true }], 'error: Lost.'],
  ],
  [
    'an exception',
    [new Error('Boom')],
    [
      'error: Error processing DM for @ada: Boom',
      ['ada', { wasSent: false, errorMessage: 'Critical error during DM attempt: Boom', outcomeUnknown: true }],
      ...goesOn,
    ],
  ],
])('%s', async (_what, replies, did) => {
  expect(first((await run(['ada', 'bob'], replies)).did)).toEqual(did)
})

test('a lead without a handle is skipped', async () => {
  const { did } = await run([' @ ', 'bob'])
  expect(did).toContainEqual([
    ' @ ',
    { wasSent: false, errorMessage: 'Skipped: Lead data or Twitter handle missing during processing.' },
  ])
  expect(did).not.toContain('ask  @ ')
})

test('an outcome that is refused is said, and the run goes on; one that a lost network kept back is told again', async () => {
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

test('three refusals of X in a row end it', async () => {
  const no = failed('X did not take the message: No.', 'failed', 'X_REFUSED')
  const { end, did } = await run(['ada', 'bob', 'eve', 'fay'], [no, no, no])
  expect([end, did.at(-1)]).toEqual(['stopped', 'error: X did not take the message: No.'])
  expect(did).not.toContain('ask fay')
})
