import { ORPCError } from '@orpc/client'
import { errorWords } from '../../api'

/**
 * What a toast says of a failed call: the specification's words for the case, and what the server or the network said.
 * @param unexpected said where it was neither
 */
export function failureWords(error: unknown, what: string, unexpected: string): string {
  const known = error instanceof ORPCError || error instanceof TypeError
  return known ? `${what}: ${errorWords(error, 'Unknown error')}` : unexpected
}
