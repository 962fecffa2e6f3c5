import { describe, expect, it } from 'vitest'
import type { VersionStep } from '../tables/sequences.ts'
import { type DueAccount, type DueEnrollment, decide } from './decide.ts'

const at = (text: string) => new Date(text)
const NOW = at('2026-11-24T10:00:00Z')
const hours = { timeZone: 'UTC', workDays: [1, 2, 3, 4, 5], startMinute: 540, endMinute: 1_080 }
const live: DueAccount = { hours, isLive: true }
const polled = { ...live, isLive: false }

function stepOf(id: string, more: Partial<VersionStep> = {}): VersionStep {
  return {
    id,
    kind: 'step',
    delay: { amount: 2, unit: 'hours' },
    condition: 'no_reply',
    allocation: 'weights',
    switchToWinner: false,
    testWindowDays: 7,
    variants: [],
    ...more,
  }
}
const first = stepOf('a', { delay: null, condition: null })
const second = stepOf('b')
const third = stepOf('c')
const last = stepOf('r', { kind: 'reengagement', delay: { amount: 30, unit: 'days' } })

/** Returns an enrollment that was sent the first step at `sentAt`. */
function sent(sentAt: string, more: Partial<DueEnrollment> = {}): DueEnrollment {
  return {
    nextStepNumber: 2,
    lastSent: { id: 'a', number: 1 },
    lastSentAt: at(sentAt),
    lastSkipped: null,
    skippedAt: null,
    sentStepIds: ['a'],
    pausedUntil: null,
    isLater: false,
    wasRead: false,
    ...more,
  }
}

describe('decide', () => {
  it('queues a step whose delay is over, due since then', () => {
    const decided = decide(sent('2026-11-24T07:00:00Z'), [first, second], live, NOW)
    expect(decided).toEqual({ kind: 'queue', number: 2, step: second, dueAt: at('2026-11-24T09:00:00Z') })
  })

  it('waits for a day with a sending window', () => {
    const days = stepOf('b', { delay: { amount: 2, unit: 'days' } })
    // Sent on a Friday: the second day with a window is Tuesday.
    const decided = decide(sent('2026-11-20T12:00:00Z'), [first, days], live, NOW)
    expect(decided).toEqual({ kind: 'wait', number: 2, until: at('2026-11-24T12:00:00Z') })
  })

  it.each([
    ['read', true, 'queue'],
    ['read', false, 'skip'],
    ['not_read', true, 'skip'],
    ['not_read', false, 'queue'],
  ] as const)('checks the condition %s of a message with wasRead %s', (condition, wasRead, kind) => {
    const steps = [first, stepOf('b', { condition }), third]
    expect(decide(sent('2026-11-24T07:00:00Z', { wasRead }), steps, live, NOW).kind).toBe(kind)
  })

  it('counts the next delay from a skipped step, and finishes after the last one', () => {
    const unread = stepOf('b', { condition: 'read' })
    const skipped = { id: 'b', number: 2 }
    expect(decide(sent('2026-11-24T07:00:00Z'), [first, unread, third], live, NOW)).toEqual({
      kind: 'skip',
      skipped,
      number: 3,
      nextAt: at('2026-11-24T12:00:00Z'),
    })
    expect(decide(sent('2026-11-24T07:00:00Z'), [first, unread], live, NOW)).toEqual({ kind: 'finish', skipped })
    const afterSkip = sent('2026-11-24T07:00:00Z', { nextStepNumber: 3, lastSkipped: skipped, skippedAt: NOW })
    expect(decide(afterSkip, [first, unread, third], live, NOW)).toMatchObject({ until: at('2026-11-24T12:00:00Z') })
  })

  it('counts re-engagement from the last message, not from a skipped step', () => {
    const unread = stepOf('b', { condition: 'read' })
    const decided = decide(sent('2026-11-24T07:00:00Z'), [first, unread, last], live, NOW)
    expect(decided).toMatchObject({ kind: 'skip', number: 3, nextAt: at('2026-12-24T07:00:00Z') })
  })

  it('waits for up to seven days if nobody knows whether it was read, then sends', () => {
    const steps = [first, stepOf('b', { condition: 'read' })]
    const waits = decide(sent('2026-11-23T07:00:00Z'), steps, polled, NOW)
    expect(waits).toMatchObject({ kind: 'wait', until: at('2026-11-30T09:00:00Z') })
    expect(decide(sent('2026-11-17T07:59:00Z'), steps, polled, NOW).kind).toBe('queue')
  })

  it('continues after a pause with the next step, or with re-engagement if they asked for later', () => {
    const steps = [first, second, last]
    const pausedUntil = at('2026-11-24T09:30:00Z')
    const paused = sent('2026-11-20T07:00:00Z', { pausedUntil })
    expect(decide(paused, steps, live, NOW)).toMatchObject({ kind: 'queue', number: 2, dueAt: pausedUntil })
    expect(decide({ ...paused, isLater: true }, steps, live, NOW)).toMatchObject({ kind: 'queue', number: 3 })
    const early = sent('2026-11-24T09:00:00Z', { pausedUntil })
    expect(decide(early, steps, live, NOW)).toMatchObject({ kind: 'wait', until: at('2026-11-24T11:00:00Z') })
  })

  it('finishes if its step no longer exists', () => {
    expect(decide(sent('2026-11-20T07:00:00Z'), [first], live, NOW)).toEqual({ kind: 'finish', skipped: null })
  })
})
