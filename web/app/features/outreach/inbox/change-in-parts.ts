import { formatNumber } from '@x-automated/contract/format'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'

interface Change<Part, Answer> {
  /** The selections. Each may take several calls. */
  parts: readonly Part[]
  /** How many conversations the selections contain; null if unknown. */
  total: number | null
  /** Changes one part. The response's cursor is null after the last call for a part. */
  call: (part: Part & { cursor?: string }) => Promise<Answer>
  onAnswer: (response: Answer) => void
  /** Called before each call. */
  mayContinue: () => boolean
  /** Called with '12,000 of 25,000' if there are several calls. */
  onProgress: (position: string) => void
}

/**
 * Changes conversations in several calls. If one fails, earlier changes stay.
 * @returns the progress when it was stopped, such as '12,000 of 25,000'; null if it finished
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
