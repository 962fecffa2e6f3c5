import { formatNumber } from '@x-automated/contract/format'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'

interface Change<Part, Answer> {
  /** The selections, each for as many calls as it needs. */
  parts: readonly Part[]
  /** How many conversations they select; null if that is unknown. */
  total: number | null
  /** The answer's cursor is null after the last call for a part. */
  call: (part: Part & { cursor?: string }) => Promise<Answer>
  onAnswer: (response: Answer) => void
  /** Asked before each call. */
  mayContinue: () => boolean
  /** Called with '12,000 of 25,000' while it takes several calls. */
  onProgress: (position: string) => void
}

/**
 * Changes conversations in several calls. If one fails, the changes so far are kept.
 * @returns where it was stopped, as in `onProgress`; null: nowhere
 */
export async function changeInParts<Part extends object, Answer extends { cursor: string | null }>({
  parts,
  total,
  call,
  onAnswer,
  mayContinue,
  onProgress,
}: Change<Part, Answer>): Promise<string | null> {
  let done = 0
  const position = () => (total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`)
  if (total !== null && total > PART_MAX) onProgress(position())
  for (const part of parts) {
    let cursor: string | null = null
    do {
      if (!mayContinue()) return position()
      const response: Answer = await call({ ...part, ...(cursor && { cursor }) })
      onAnswer(response)
      cursor = response.cursor
      if (cursor) {
        // Every call but the last changes as many as it can.
        done = Math.min(total ?? Number.POSITIVE_INFINITY, done + PART_MAX)
        onProgress(position())
      }
    } while (cursor)
  }
  return null
}
