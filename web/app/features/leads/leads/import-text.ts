import { formatCount, formatNumber, formatPercent } from '@x-automated/contract/format'
import type { Import } from '@x-automated/contract/leads/imports'
import { roughDurationText } from '../scrapes/scrape-text'
import { IMPORT_BYTES_MAX, type UploadState } from './csv-files'

/** '2 KB' or '1.5 MB'. */
export function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${formatNumber(Math.max(1, Math.round(bytes / 1024)))} KB`
  return `${formatNumber(Math.round((bytes / 1024 / 1024) * 10) / 10)} MB`
}

/** Why a file cannot be imported, or null if it may be a CSV file. */
export function fileProblem(file: File): string | null {
  if (file.size === 0) return 'This file is empty.'
  if (file.size > IMPORT_BYTES_MAX) return `This file is too large: ${sizeText(file.size)}. The limit is 64 MB.`
  if (!/\.(csv|txt)$/i.test(file.name) && !/csv|text\/plain/.test(file.type))
    return "This isn't a CSV file. Export your sheet as CSV."
  return null
}

/** '12 leads imported, 3 existing leads updated'. */
export function importedText({ imported, updated }: Pick<Import, 'imported' | 'updated'>): string {
  if (updated === 0) return imported === 0 ? 'No leads imported' : `${formatCount(imported, 'lead')} imported`
  const updatedText = `${formatCount(updated, 'existing lead')} updated`
  return imported === 0 ? updatedText : `${formatCount(imported, 'lead')} imported, ${updatedText}`
}

/** '2 X user IDs left out'. */
export function leftOutText(count: number): string {
  return `${formatCount(count, 'X user ID')} left out`
}

/** The result of a finished import in one line. */
export function outcomeText(ended: Import): string {
  if (ended.status === 'failed') return `failed. ${ended.error ?? ''}`.trim()
  if (ended.status === 'canceled') return 'stopped, nothing was imported.'
  const skipped = ended.rejectedCount > 0 ? `, ${formatCount(ended.rejectedCount, 'row')} skipped` : ''
  const leftOut = ended.warningCount > 0 ? `, ${leftOutText(ended.warningCount)}` : ''
  return `${importedText(ended)}${skipped}${leftOut}.`
}

const timeLeftSuffix = (seconds: number | null) => (seconds === null ? '' : ` · ${roughDurationText(seconds)} left`)
const share = (done: number, of: number) => done / Math.max(1, of)

/** Whether the file is still being uploaded. If so, Cancel stops the upload. Later, it stops the import. */
export const isUploading = (state: UploadState | null): boolean => state === null || state.done < state.of

/** Upload progress for a progress bar. @param elapsedSeconds since the upload started */
export function uploadProgress(state: UploadState | null, elapsedSeconds: number) {
  if (!state || state.done === 0) return { label: 'Uploading the file', value: null, max: 1 }
  // The server checks that a file is complete before the import starts.
  if (!isUploading(state)) return { label: 'Reading rows', value: null, max: 1 }
  const value = share(state.done, state.of)
  const left = timeLeftSuffix((elapsedSeconds * (1 - value)) / value)
  return {
    label: 'Uploading the file',
    value,
    max: 1,
    detail: `${formatPercent(value)} of ${sizeText(state.of)}${left}`,
  }
}

/** Progress of a running import for a progress bar. */
export function importProgress({ stage, done, of, secondsLeft }: Import) {
  const value = share(done, of)
  const detail =
    stage === 'saving'
      ? `${formatNumber(done)} of ${formatCount(of, 'row')}`
      : `${formatPercent(value)} of ${sizeText(of)}`
  return {
    label: stage === 'saving' ? 'Saving leads' : 'Reading rows',
    value: done === 0 ? null : value,
    max: 1,
    detail: `${detail}${timeLeftSuffix(secondsLeft)}`,
  }
}

/** The label of the import button while an import is running. */
export function inProgressText({ secondsLeft }: Pick<Import, 'secondsLeft'>): string {
  return secondsLeft === null ? 'Importing…' : `Importing, ${roughDurationText(secondsLeft)} left`
}
