import type { Import } from '@x-automated/contract/imports'
import { timeLeftWords } from '../scrapes/scrape-words'
import type { Sent } from './csv-files'

/** '3 lines', '1 line'. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} KB`
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
}

/** '12 leads imported, 3 leads that you had already updated'. */
export function importedWords({ imported, updated }: Pick<Import, 'imported' | 'updated'>): string {
  if (updated === 0) return imported === 0 ? 'No leads imported' : `${count(imported, 'lead')} imported`
  const known = `${count(updated, 'lead')} that you had already updated`
  return imported === 0 ? known : `${count(imported, 'lead')} imported, ${known}`
}

/** What came of an import that has ended, in a line. */
export function outcomeWords(ended: Import): string {
  if (ended.status === 'failed') return `failed. ${ended.error ?? ''}`.trim()
  if (ended.status === 'canceled') return 'stopped, nothing of it was kept.'
  const words = importedWords(ended)
  return `${words}${ended.rejectedCount > 0 ? `, ${count(ended.rejectedCount, 'line')} refused` : ''}.`
}

const leftWords = (seconds: number | null) => (seconds === null ? '' : ` · ${timeLeftWords(seconds)} left`)
const share = (done: number, of: number) => done / Math.max(1, of)

/** Can it still be called off by not sending the rest? Sent whole, the file becomes an import, which is stopped as one. */
export const isBeingSent = (sent: Sent | null): boolean => sent === null || sent.done < sent.of

/** How far sending is, for a progress bar. @param elapsedSeconds since it began */
export function sendingProgress(sent: Sent | null, elapsedSeconds: number) {
  if (!sent || sent.done === 0) return { label: 'Sending the file', value: null, max: 1 }
  // Sent whole, the file is looked at before the import begins.
  if (!isBeingSent(sent)) return { label: 'Reading the lines', value: null, max: 1 }
  const value = share(sent.done, sent.of)
  const left = leftWords((elapsedSeconds * (1 - value)) / value)
  return {
    label: 'Sending the file',
    value,
    max: 1,
    detail: `${Math.round(100 * value)}% of ${sizeWords(sent.of)}${left}`,
  }
}

/** How far an import under way is, for a progress bar. */
export function importProgress({ stage, done, of, secondsLeft }: Import) {
  const value = share(done, of)
  const detail =
    stage === 'saving'
      ? `${done.toLocaleString('en-US')} of ${count(of, 'line')}`
      : `${Math.round(100 * value)}% of ${sizeWords(of)}`
  return {
    label: stage === 'saving' ? 'Saving the leads' : 'Reading the lines',
    value: done === 0 ? null : value,
    max: 1,
    detail: `${detail}${leftWords(secondsLeft)}`,
  }
}

/** On the button that opens it. */
export function underWayWords({ secondsLeft }: Pick<Import, 'secondsLeft'>): string {
  return secondsLeft === null ? 'Importing…' : `Importing, ${timeLeftWords(secondsLeft)} left`
}
