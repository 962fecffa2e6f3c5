import { expect, test } from 'vitest'
import { dueText, nextSendText } from './next-send'

test('nextSendText counts down the last hour, then says that it is time', () => {
  const at = new Date('2026-11-20T14:05:00')
  expect(nextSendText(at, 41)).toBe('0:41')
  expect(nextSendText(at, 3_599)).toBe('59:59')
  expect(nextSendText(at, 0)).toBe('Now')
  expect(nextSendText(at, 3_600)).toMatch(/05/)
  expect(nextSendText(at, 90_000)).toBe('Nov 20')
})

test('dueText names the day of what is due later than today', () => {
  const at = new Date('2026-11-20T14:05:00')
  expect(dueText(at, 41)).toMatch(/^Due at .*05/)
  expect(dueText(at, 14 * 3_600)).toMatch(/^Due at .*05/)
  expect(dueText(at, 15 * 3_600)).toMatch(/^Due tomorrow at .*05/)
  expect(dueText(at, 90_000)).toMatch(/^Due on Fri .*05/)
})
