import type { Import } from '@x-automated/contract/imports'
import { timeLeftText } from '../scrapes/scrape-text'
import type { Sent } from './csv-files'

/** '3 lines', '1 line'. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} KB`
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
}

/** '12 leads imported, 3 leads that you had already updated'. */
export function importedText({ imported, updated }: Pick<Import, 'imported' | 'updated'>): string {
  if (updated === 0) return imported === 0 ? 'No leads imported' : `${count(imported, 'lead')} imported`
  const known = `${count(updated, 'lead')} that you had already updated`
  return imported === 0 ? known : `${count(imported, 'lead')} imported, ${known}`
}

/** What came of an import that has ended, in a line. */
export function outcomeText(ended: Import): string {
  if (ended.status === 'failed') return `failed. ${ended.error ?? ''}`.trim()
  if (ended.status === 'canceled') return 'stopped, nothing of it was kept.'
  const words = importedText(ended)
  return `${words}${ended.rejectedCount > 0 ? `, ${count(ended.rejectedCount, 'line')} refused` : ''}.`
}

const timeLeftSuffix = (seconds: number | null) => (seconds === null ? '' : ` · ${timeLeftText(seconds)} left`)
const share = (done: number, of: number) => done / Math.max(1, of)

/** Can it still be called off by not sending the rest? Sent whole, the file becomes an import, which is stopped as one. */
export const isUploading = (sent: Sent | null): boolean => sent === null || sent.done < sent.of

/** How far sending is, for a progress bar. @param elapsedSeconds since it began */
export function uploadProgress(sent: Sent | null, elapsedSeconds: number) {
  if (!sent || sent.done === 0) return { label: 'Sending the file', value: null, max: 1 }
  // Sent whole, the file is looked at before the import begins.
  if (!isUploading(sent)) return { label: 'Reading the lines', value: null, max: 1 }
  const value = share(sent.done, sent.of)
  const left = timeLeftSuffix((elapsedSeconds * (1 - value)) / value)
  return {
    label: 'Sending the file',
    value,
    max: 1,
    detail: `${Math.round(100 * value)}% of ${sizeText(sent.of)}${left}`,
  }
}

/** How far an import under way is, for a progress bar. */
export function importProgress({ stage, done, of, secondsLeft }: Import) {
  const value = share(done, of)
  const detail =
    stage === 'saving'
      ? `${done.toLocaleString('en-US')} of ${count(of, 'line')}`
      : `${Math.round(100 * value)}% of ${sizeText(of)}`
  return {
    label: stage === 'saving' ? 'Saving the leads' : 'Reading the lines',
    value: done === 0 ? null : value,
    max: 1,
    detail: `${detail}${timeLeftSuffix(secondsLeft)}`,
  }
}

/** On the button that opens it. */
export function inProgressText({ secondsLeft }: Pick<Import, 'secondsLeft'>): string {
  return secondsLeft === null ? 'Importing…' : `Importing, ${timeLeftText(secondsLeft)} left`
}
