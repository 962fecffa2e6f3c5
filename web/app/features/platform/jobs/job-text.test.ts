import { expect, test } from 'vitest'
import { jobText, mayUndo } from './job-text'

const job = { kind: 'delete', status: 'completed', changed: 12, undoes: null } as const

test('says what a job does and has done', () => {
  expect(jobText({ ...job, status: 'running' })).toBe('Deleting')
  expect(jobText(job)).toBe('12 leads deleted')
  expect(jobText({ ...job, kind: 'queue', changed: 1 })).toBe('DM has been queued for sending')
  expect(jobText({ ...job, kind: 'tag', changed: 0 })).toBe('Adding tags: no change')
  expect(jobText({ ...job, undoes: 'x' })).toBe('12 leads restored')
  expect(jobText({ ...job, kind: 'tag', undoes: 'x', changed: 0 })).toBe('Nothing was left to undo')
  expect(jobText({ ...job, kind: 'queue', undoes: 'x', changed: 0 })).toContain('Too late')
})

test('offers an undo until its time is over', () => {
  const undoUntil = '2026-01-01T00:00:10Z'
  const at = (seconds: number) => Date.parse('2026-01-01T00:00:00Z') + seconds * 1_000
  expect(mayUndo({ undoUntil, undoneBy: null }, at(5))).toBe(true)
  expect(mayUndo({ undoUntil, undoneBy: null }, at(11))).toBe(false)
  expect(mayUndo({ undoUntil, undoneBy: 'y' }, at(5))).toBe(false)
  expect(mayUndo({ undoUntil: null, undoneBy: null }, at(5))).toBe(false)
})
