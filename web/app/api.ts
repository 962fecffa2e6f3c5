import { fallbackORPCErrorMessage, ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import type { FieldProblem } from '@x-automated/contract/errors'
import { contractClient } from './contract-client'
import { session } from './session'

/** The API for single calls: `await client.leads.remove({ id })`. Signs itself; renews its token once where one has ended. */
export const client = contractClient({ current: session.currentToken, refresh: session.refresh })

/** The API for TanStack Query: `useQuery(api.leads.list.queryOptions({ input: { page } }))`, `useMutation(api.lists.create.mutationOptions())`. */
export const api = createTanstackQueryUtils(client)

/** What the server said; '' where it gave no words, or something between gave none of ours: the client puts the code, or the status, in their place. */
function wordsOf(error: ORPCError<string, unknown>): string {
  return error.message === fallbackORPCErrorMessage(error.code, undefined) ? '' : error.message
}

/**
 * What to tell someone about a failed call: the server's own words where it answered.
 * @param fallback the specification's text for the case, used where the server could not say more
 */
export function errorText(error: unknown, fallback = 'An unexpected error occurred. Please try again.'): string {
  if (error instanceof ORPCError) return wordsOf(error) || fallback
  if (error instanceof TypeError)
    return 'No connection to the server. Please check your internet connection and try again.'
  return fallback
}

/**
 * As `errorText`, for screens whose specification has a text for every fault: the server's words only where it refused (4xx),
 * as those say what to do.
 */
export function refusalText(error: unknown, fallback: string): string {
  return error instanceof ORPCError && error.status < 500 ? wordsOf(error) || fallback : fallback
}

/**
 * For screens whose specification has one text for an answer and another for none: on connection loss, `unexpected` alone.
 * @param what introduces what the server said
 */
export function failureText(error: unknown, what: string, unexpected: string): string {
  return error instanceof ORPCError ? `${what}: ${errorText(error, 'Unknown error')}` : unexpected
}

/** The code of a failed call ('PLAN_LIMIT', 'NOT_FOUND'…), or null where nobody answered. */
export function errorCode(error: unknown): string | null {
  return error instanceof ORPCError ? error.code : null
}

/** The resource is gone, or closed to this user (403, 404): the same call gets the same answer. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ORPCError && (error.status === 403 || error.status === 404)
}

/** What the server found wrong with single fields of the input, by the field's name. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof ORPCError) || error.code !== 'INVALID_INPUT' || !Array.isArray(error.data)) return {}
  const problems = error.data as FieldProblem[]
  return Object.fromEntries(problems.map(({ field, problem }) => [field, problem]))
}
