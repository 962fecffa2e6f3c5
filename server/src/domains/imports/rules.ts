import type { ImportStage, ImportStatus } from '@x-automated/contract/imports'

/** Of the time that an import takes, so much goes by while its file is read, and so much while its leads are saved; between the two doubles are looked for. */
const READING_SHARE = 0.27
const SAVING_SHARE = 0.6
/** Before this much of it is done, nobody can tell how long the rest takes. */
const TELLING_SHARE = 0.02

/** How long the rest of an import will take, in seconds; null while nobody can tell. @param elapsedSeconds since it began */
export function secondsLeft(stage: ImportStage, done: number, of: number, elapsedSeconds: number): number | null {
  const part = Math.min(1, done / Math.max(1, of))
  const whole = stage === 'reading' ? READING_SHARE * part : 1 - SAVING_SHARE * (1 - part)
  if (whole < TELLING_SHARE) return null
  return Math.ceil((elapsedSeconds * (1 - whole)) / whole)
}

/** So long an import may say nothing before it counts as dead. Were it alive all the same, it could not end any more but with nothing kept. */
export const SILENT_SECONDS_MAX = 60

/** All of its file is one transaction. */
export const DIED =
  'The server stopped, or was held up for too long, while it read this file. Nothing of it was kept. Import it again.'

/** How an import stands: one whose process was killed cannot say that it failed. @param silentSeconds since it last said that it runs */
export function standing(
  { status, error }: { status: ImportStatus; error: string | null },
  silentSeconds: number,
): { status: ImportStatus; error: string | null } {
  return status === 'running' && silentSeconds > SILENT_SECONDS_MAX
    ? { status: 'failed', error: DIED }
    : { status, error }
}
