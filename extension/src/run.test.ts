import type { SendDmReply } from '@x-automated/contract/outreach/extension'
import {
  type ClaimRequest,
  inMemory,
  type Outcome,
  type PendingClaim,
} from '@x-automated/contract/outreach/sending-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from './failure.ts'
import { type Claim, ProductError } from './product.ts'
import { takeStep } from './run.ts'

const claim: Claim = { dmId: 'dm', lease: 'lease', twitterHandle: 'ada', message: 'Hi', sendsAs: null }

/** Creates a product with a queue of messages, and a run that can be killed at any moment. */
function open(
  replies: (SendDmReply | Error)[] = [],
  over: { claims?: unknown[]; refuse?: ProductError; signedInAs?: (string | undefined)[] } = {},
) {
  const reported: unknown[] = []
  const claims = [...(over.claims ?? [{ claim }])]
  const pendingClaim = inMemory<PendingClaim<Claim>>()
  const claimRequest = inMemory<ClaimRequest>()
  const refusals = inMemory<number>()
  let now = 0
  const keys: string[] = []
  const bodies: unknown[] = []
  const journal = new Map<string, { handle: string; message: string; state: 'pressing' | 'sent' }>()
  const report = async (result: unknown) => {
    if (over.refuse) throw over.refuse
    reported.push(result)
  }
  const world = {
    reported,
    journal,
    keys,
    bodies,
    wait: (ms: number) => {
      now += ms
    },
    pendingClaim,
    run: () => ({
      step: () =>
        takeStep({
          product: {
            claim: async ({ key, signedInAs }) => {
              keys.push(key)
              bodies.push(signedInAs)
              const next = claims.shift() ?? { inSeconds: null }
              if (next instanceof Error) throw next
              return next as { claim: Claim }
            },
            record: (_claim, outcome) => report(outcome),
            release: (_claim, inboxUnclear) => report(inboxUnclear ? 'later' : 'release'),
          },
          signedInAs: over.signedInAs?.shift(),
          journal: { find: async (id) => journal.get(id) },
          send: async () => {
            const reply = replies.shift()
            if (reply instanceof Error) throw reply
            return reply ?? { success: true }
          },
          pendingClaim,
          claimRequest,
          refusals,
          now: () => now,
        }),
    }),
  }
  return world
}

test.each<[string, SendDmReply, unknown[], object]>([
  ['a sent message', { success: true }, [{ wasSent: true }], { next: 'again' }],
  [
    'a closed inbox',
    failure({ code: 'INBOX_CLOSED' }, 'ada'),
    [
      {
        wasSent: false,
        errorMessage: '@ada does not accept direct messages from your X account.',
        outcomeUnknown: false,
      },
    ],
    { next: 'again' },
  ],
  [
    'an unknown outcome',
    failure({ code: 'OUTCOME_UNKNOWN' }),
    [
      {
        wasSent: false,
        errorMessage: 'Outcome unknown: check the conversation before sending again',
        outcomeUnknown: true,
      },
    ],
    { next: 'again' },
  ],
  ['a message that was called back', failure({ code: 'CALLED_BACK' }, 'ada'), [], { next: 'again' }],
  [
    'another person under the handle',
    failure({ code: 'WRONG_PERSON' }, 'ada'),
    [{ wasSent: false, reason: { code: 'identity', params: {} } }],
    { next: 'again' },
  ],
  [
    'a message request',
    failure({ code: 'MESSAGE_REQUEST' }, 'ada'),
    [{ wasSent: false, reason: { code: 'replied', params: {} } }],
    { next: 'again' },
  ],
  ['an inbox that may be closed', failure({ code: 'CANNOT_TELL' }, 'ada'), ['later'], { next: 'again' }],
  [
    'several inboxes that may be closed',
    failure({ code: 'CANNOT_TELL_IN_A_ROW', detail: '3' }, 'ada'),
    ['later'],
    { next: 'stopped', error: expect.stringContaining('no one was marked as failed') },
  ],
  [
    'a signed-out X',
    failure({ code: 'NOT_SIGNED_IN' }),
    ['release'],
    { next: 'stopped', error: 'Log in to X in this browser first, then try again.' },
  ],
  [
    'another account on X',
    failure({ code: 'WRONG_ACCOUNT', detail: '@b, but the campaign sends as @a' }),
    ['release'],
    {
      next: 'stopped',
      error: expect.stringContaining('This browser is logged in to X as @b, but the campaign sends as @a.'),
    },
  ],
  [
    'a changed page',
    failure({ code: 'PAGE_CHANGED', detail: 'a part' }),
    ['release'],
    { next: 'stopped', error: expect.stringContaining('X has changed its page') },
  ],
])('reports %s and keeps no claim', async (_what, reply, reports, step) => {
  const world = open([reply])
  expect(await world.run().step()).toEqual(step)
  expect(world.reported).toEqual(reports)
  expect(await world.pendingClaim.read()).toBeNull()
})

test('stops after three refusals in a row, and resets the count after a sent message', async () => {
  const refused = failure({ code: 'X_REFUSED', detail: 'No.' })
  const world = open([refused, refused, { success: true }, refused, refused, refused], {
    claims: Array(6).fill({ claim }),
  })
  const steps = []
  // Each step runs in a new worker.
  for (let n = 0; n < 6; n += 1) steps.push((await world.run().step()).next)
  expect(steps).toEqual(['again', 'again', 'again', 'again', 'again', 'stopped'])
})

test('waits as long as the product says, idles on an empty queue, and detects unpairing', async () => {
  const step = (next: unknown) =>
    open([], { claims: [next] })
      .run()
      .step()
  expect(await step({ inSeconds: 60 })).toEqual({ next: 'wait', ms: 60_000 })
  expect(await step({ inSeconds: null })).toEqual({ next: 'idle' })
  expect(await step(new ProductError(401, 'x'))).toEqual({ next: 'unpaired' })
  expect(await step(new ProductError(0, 'x'))).toEqual({ next: 'wait', ms: 30_000 })
  expect(await step(new ProductError(503, 'x'))).toEqual({ next: 'wait', ms: 30_000 })
})

test('reports an outcome later if the product was unreachable, and drops it if the product refuses it', async () => {
  const unreachable = open([], { refuse: new ProductError(0, 'unreachable') })
  expect(await unreachable.run().step()).toEqual({ next: 'wait', ms: 30_000 })
  expect(await unreachable.pendingClaim.read()).toEqual({ claim, outcome: { wasSent: true } })
  const restarted = open()
  await restarted.pendingClaim.write(await unreachable.pendingClaim.read())
  expect(await restarted.run().step()).toEqual({ next: 'again' })
  expect([restarted.reported, await restarted.pendingClaim.read()]).toEqual([[{ wasSent: true }], null])
  for (const status of [404, 409]) {
    const later = open([], { refuse: new ProductError(status, 'x') })
    expect(await later.run().step()).toEqual({ next: 'again' })
    expect(await later.pendingClaim.read()).toBeNull()
  }
})

test('reports the true outcome after a worker dies at any point, and never sends again', async () => {
  const died = fc.constantFrom<'before' | 'pressing' | 'sent'>('before', 'pressing', 'sent')
  await fc.assert(
    fc.asyncProperty(died, async (when) => {
      const world = open([new Error('the worker died')])
      await expect(world.run().step()).rejects.toThrow('died')
      expect(await world.pendingClaim.read()).toEqual({ claim })
      if (when !== 'before') world.journal.set('lease', { handle: 'ada', message: 'Hi', state: when })
      // If this step sent again, that would succeed and be reported as sent.
      expect(await world.run().step()).toEqual({ next: 'again' })
      const expected: Record<typeof when, Outcome | 'release'> = {
        before: 'release',
        pressing: { wasSent: false, outcomeUnknown: true },
        sent: { wasSent: true },
      }
      expect([world.reported, await world.pendingClaim.read()]).toEqual([[expected[when]], null])
    }),
  )
})

test('repeats a claim with the same key for a minute if the response was lost, then uses a new key', async () => {
  const lost = new ProductError(0, 'no answer')
  const world = open([], { claims: [lost, { claim }, lost, lost, { claim }] })
  expect(await world.run().step()).toMatchObject({ next: 'wait' })
  // Repeats the claim, in a new worker.
  expect(await world.run().step()).toEqual({ next: 'again' })
  await world.run().step()
  world.wait(70_000)
  await world.run().step()
  expect(await world.run().step()).toEqual({ next: 'again' })
  const [first, again, next, late, later] = world.keys
  expect([again, later]).toEqual([first, late])
  expect(new Set([first, next, late]).size).toBe(3)
  expect(world.reported).toEqual([{ wasSent: true }, { wasSent: true }])
})

test('repeats a claim with the original account, because another body would lose the response', async () => {
  const world = open([], {
    claims: [new ProductError(0, 'no answer'), { claim }, { claim }],
    signedInAs: [undefined, 'ada', 'ada'],
  })
  for (let n = 0; n < 3; n += 1) await world.run().step()
  expect(world.bodies).toEqual([undefined, undefined, 'ada'])
  expect(world.keys[1]).toBe(world.keys[0])
})
