import type { Import } from '@x-automated/contract/leads/imports'
import { expect, test } from 'vitest'
import { importedText, importProgress, inProgressText, isUploading, outcomeText, uploadProgress } from './import-text'

const base: Import = {
  id: 'i',
  fileName: 'people.csv',
  status: 'running',
  stage: 'saving',
  done: 5_000,
  of: 20_000,
  secondsLeft: 130,
  imported: 0,
  updated: 0,
  rejectedCount: 0,
  warningCount: 0,
  error: null,
  createdAt: '2026-11-22T00:00:00.000Z',
}

test('shows progress and time left during upload and import', () => {
  expect(uploadProgress(null, 0)).toEqual({ label: 'Uploading the file', value: null, max: 1 })
  expect(uploadProgress({ done: 1_048_576, of: 4 * 1_048_576 }, 30)).toMatchObject({
    value: 0.25,
    detail: '25% of 4 MB · about 2 min left',
  })
  expect(uploadProgress({ done: 10, of: 10 }, 30)).toEqual({ label: 'Reading rows', value: null, max: 1 })
  expect(importProgress(base)).toEqual({
    label: 'Saving leads',
    value: 0.25,
    max: 1,
    detail: '5,000 of 20,000 rows · about 2 min left',
  })
  expect(importProgress({ ...base, stage: 'reading', done: 0, of: 2_048, secondsLeft: null })).toEqual({
    label: 'Reading rows',
    value: null,
    max: 1,
    detail: '0% of 2 KB',
  })
  expect(inProgressText(base)).toBe('Importing, about 2 min left')
  expect(inProgressText({ secondsLeft: null })).toBe('Importing…')
})

test('cannot cancel a complete upload', () => {
  const states = [null, { done: 0, of: 10 }, { done: 9, of: 10 }, { done: 10, of: 10 }]
  expect(states.map(isUploading)).toEqual([true, true, true, false])
})

test('sums up a finished import in one line', () => {
  const done: Import = { ...base, status: 'completed', imported: 64, rejectedCount: 1 }
  expect(outcomeText(done)).toBe('64 leads imported, 1 row skipped.')
  expect(outcomeText({ ...done, imported: 0, updated: 1, rejectedCount: 0 })).toBe('1 existing lead updated.')
  expect(outcomeText({ ...done, warningCount: 2 })).toBe('64 leads imported, 1 row skipped, 2 X user IDs left out.')
  expect(outcomeText({ ...done, status: 'failed', error: 'The file is empty.' })).toBe('failed. The file is empty.')
  expect(outcomeText({ ...done, status: 'canceled' })).toBe('stopped, nothing was imported.')
  expect(importedText({ imported: 0, updated: 0 })).toBe('No leads imported')
})
