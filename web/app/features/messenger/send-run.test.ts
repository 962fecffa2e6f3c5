import { expect, test } from 'vitest'
import { notMessagedText, type RunProgress, type SendResult, sendOneByOne, summaryText } from './send-run'

/** Runs over as many leads as there are results, and tells in which order what happened. */
async function run(results: SendResult[][], stopBefore = Number.POSITIVE_INFINITY) {
  const log: string[] = []
  const progress: RunProgress[] = []
  const left = results.map((tries) => [...tries])
  let begun = 0
  const summary = await sendOneByOne(
    left.map((_, index) => index),
    async (index) => {
      log.push(`send ${index}`)
      begun = index + 1
      return left[index]?.shift() ?? { kind: 'sent' }
    },
    async () => {
      log.push('pause')
    },
    () => begun >= stopBefore,
    (now) => progress.push(now),
  )
  return { summary, log, progress }
}
const sent: SendResult = { kind: 'sent' }
const failed: SendResult = { kind: 'failed', words: 'no' }

test('one after the other, with a pause between two, none after the last; a failure is counted and the others go on', async () => {
  const { summary, log, progress } = await run([[sent], [failed], [sent]])
  expect(log).toEqual(['send 0', 'pause', 'send 1', 'pause', 'send 2'])
  expect(summary).toEqual({ sent: 2, failed: 1, total: 3, halted: null, lastFailure: 'no' })
  expect(progress.map((now) => [now.sent, now.failed])).toEqual([
    [1, 0],
    [1, 1],
    [2, 1],
  ])
})

test('an outcome that nobody knows is asked for again, and is a failure when it stays so', async () => {
  const again: SendResult = { kind: 'again', words: 'unknown' }
  expect((await run([[again, sent], [sent]])).log).toEqual(['send 0', 'pause', 'send 0', 'pause', 'send 1'])
  const { summary } = await run([[again, again, again, sent], [sent]])
  expect(summary).toMatchObject({ sent: 1, failed: 1, lastFailure: 'unknown' })
})

test('stopped, it begins no more; halted, it says why', async () => {
  const stopped = await run([[sent], [sent], [sent]], 2)
  expect(stopped.summary).toMatchObject({ sent: 2, failed: 0, total: 3, halted: null })
  expect(notMessagedText(stopped.summary)).toBe('Stopped: 1 lead was not written to.')
  const halted = await run([[sent], [{ kind: 'halt', words: 'The cap is reached.' }], [sent], [sent]])
  expect(halted.summary).toMatchObject({ sent: 1, failed: 1, halted: 'The cap is reached.' })
  expect(notMessagedText(halted.summary)).toBe('2 leads were not written to: The cap is reached.')
})

test('the words of the summary', () => {
  expect(summaryText({ sent: 3, failed: 0 })).toBe('Successfully sent 3 direct messages')
  expect(summaryText({ sent: 3, failed: 2 })).toBe('Successfully sent 3 direct messages (2 failed)')
  expect(summaryText({ sent: 0, failed: 2 })).toBe('Failed to send any direct messages. Please try again later.')
  expect(notMessagedText({ sent: 1, failed: 1, total: 2, halted: null, lastFailure: null })).toBeNull()
})
