import { expect, test } from 'vitest'
import { durationText, notMessagedText, type RunProgress, type SendResult, sendOneByOne, summaryText } from './send-run'

/** Sends to one lead per entry. Each entry contains the results of that lead's calls. Logs events in order. */
async function run(results: SendResult[][], stopBefore = Number.POSITIVE_INFINITY) {
  const log: string[] = []
  const progress: RunProgress[] = []
  const left = results.map((tries) => [...tries])
  let started = 0
  const summary = await sendOneByOne(
    left.map((_, index) => index),
    async (index) => {
      log.push(`send ${index}`)
      started = index + 1
      return left[index]?.shift() ?? { kind: 'sent' }
    },
    async () => {
      log.push('pause')
    },
    () => started >= stopBefore,
    (now) => progress.push(now),
  )
  return { summary, log, progress }
}
const sent: SendResult = { kind: 'sent' }
const failed: SendResult = { kind: 'failed', text: 'no' }

test('sends one by one with a pause in between, and continues after failures', async () => {
  const { summary, log, progress } = await run([[sent], [failed], [sent]])
  expect(log).toEqual(['send 0', 'pause', 'send 1', 'pause', 'send 2'])
  expect(summary).toEqual({ sent: 2, failed: 1, skipped: 0, total: 3, halted: null, lastFailure: 'no' })
  expect(progress.map((now) => [now.sent, now.failed])).toEqual([
    [1, 0],
    [1, 1],
    [2, 1],
  ])
})

test('repeats the call for an unknown outcome, and counts it as failed if it stays unknown', async () => {
  const again: SendResult = { kind: 'again', text: 'unknown' }
  expect((await run([[again, sent], [sent]])).log).toEqual(['send 0', 'pause', 'send 0', 'pause', 'send 1'])
  const { summary } = await run([[...Array<SendResult>(6).fill(again), sent], [sent]])
  expect(summary).toMatchObject({ sent: 1, failed: 1, lastFailure: 'unknown' })
})

test('sends nothing after a stop, and says why a run was halted', async () => {
  const stopped = await run([[sent], [sent], [sent]], 2)
  expect(stopped.summary).toMatchObject({ sent: 2, failed: 0, total: 3, halted: null })
  expect(notMessagedText(stopped.summary)).toBe("Stopped: 1 lead wasn't messaged.")
  const halted = await run([[sent], [{ kind: 'halt', text: 'The cap is reached.' }], [sent], [sent]])
  expect(halted.summary).toMatchObject({ sent: 1, failed: 1, halted: 'The cap is reached.' })
  expect(notMessagedText(halted.summary)).toBe("2 leads weren't messaged: The cap is reached.")
})

test('sums up a run', () => {
  expect(summaryText({ sent: 3, failed: 0, skipped: 0 })).toBe('Successfully sent 3 direct messages')
  expect(summaryText({ sent: 3, failed: 2, skipped: 0 })).toBe('Successfully sent 3 direct messages (2 failed)')
  expect(summaryText({ sent: 0, failed: 2, skipped: 0 })).toBe(
    'Failed to send any direct messages. Please try again later.',
  )
  expect(notMessagedText({ sent: 1, failed: 1, skipped: 0, total: 2, halted: null, lastFailure: null })).toBeNull()
})

test('a skipped person is not a failure', async () => {
  const { summary } = await run([[sent], [{ kind: 'skipped', text: 'This person has opted out.' }]])
  expect(summary).toMatchObject({ sent: 1, failed: 0, skipped: 1 })
  expect(notMessagedText(summary)).toBeNull()
  expect(summaryText(summary)).toBe('Successfully sent 1 direct messages (1 skipped)')
  expect(summaryText({ sent: 0, failed: 0, skipped: 1 })).toBe('Skipped 1 lead. Nothing was sent.')
})

test.each([
  [1, 'Takes less than a minute, while this page is open.'],
  [40, 'Takes about 1 minute, while this page is open.'],
  [100, 'Takes about 3 minutes, while this page is open.'],
])('says how long %i messages take', (count, text) => {
  expect(durationText(count)).toBe(text)
})
