import type { ImportStage, ImportStatus } from '@x-automated/contract/leads/imports'

/** Reading's share of the total time. Removing duplicates takes what reading and saving leave. */
const READING_SHARE = 0.27
/** Saving's share of the total time. */
const SAVING_SHARE = 0.6
/** Below this share of the work, the remaining time is unknown. */
const ESTIMATE_MIN_SHARE = 0.02

/** The remaining seconds; null while unknown. @param elapsedSeconds since the import started */
export function secondsLeft(stage: ImportStage, done: number, of: number, elapsedSeconds: number): number | null {
  const part = Math.min(1, done / Math.max(1, of))
  const progress = stage === 'reading' ? READING_SHARE * part : 1 - SAVING_SHARE * (1 - part)
  if (progress < ESTIMATE_MIN_SHARE) return null
  return Math.ceil((elapsedSeconds * (1 - progress)) / progress)
}

/** An import without progress for this long counts as dead. It cannot save anything, even if its process still runs. */
export const SILENT_SECONDS_MAX = 60

/** The error of an import that counts as dead. Nothing was imported, because the whole file is one transaction. */
export const DIED = 'The server stopped or stalled while reading this file. Nothing was imported. Import it again.'

/** The state of an import. A silent import has failed. @param silentSeconds since its last update */
export function stateOf(
  { status, error }: { status: ImportStatus; error: string | null },
  silentSeconds: number,
): { status: ImportStatus; error: string | null } {
  return status === 'running' && silentSeconds > SILENT_SECONDS_MAX
    ? { status: 'failed', error: DIED }
    : { status, error }
}
