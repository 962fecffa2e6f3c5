import { fallbackORPCErrorMessage, ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import type { FieldProblem } from '@x-automated/contract/errors'
import { contractClient } from './contract-client'
import { session } from './session'

/** The API for single calls: `await client.leads.remove({ id })`. Renews the token after a 401. */
export const client = contractClient({ current: session.currentToken, refresh: session.refresh })

/** The API for TanStack Query: `useQuery(api.leads.list.queryOptions({ input: { page } }))`. */
export const api = createTanstackQueryUtils(client)

/** The server's message, or '' if it sent none and oRPC filled in a default text. */
function messageOf(error: ORPCError<string, unknown>): string {
  return error.message === fallbackORPCErrorMessage(error.code, undefined) ? '' : error.message
}

/** The message to show for a failed call: the server's own, or else `fallback`. */
export function errorText(error: unknown, fallback = 'An unexpected error occurred. Please try again.'): string {
  if (error instanceof ORPCError) return messageOf(error) || fallback
  if (error instanceof TypeError)
    return 'No connection to the server. Please check your internet connection and try again.'
  return fallback
}

/** Like `errorText`, but uses the server's message only for 4xx, where it says what to do. */
export function refusalText(error: unknown, fallback: string): string {
  return error instanceof ORPCError && error.status < 500 ? messageOf(error) || fallback : fallback
}

/** `what: message` if the server responded, `unexpected` if the connection failed. */
export function failureText(error: unknown, what: string, unexpected: string): string {
  return error instanceof ORPCError ? `${what}: ${errorText(error, 'Unknown error')}` : unexpected
}

/** The error code of a failed call ('PLAN_LIMIT'), or null if the server did not respond. */
export function errorCode(error: unknown): string | null {
  return error instanceof ORPCError ? error.code : null
}

/** Whether the resource is gone or forbidden (404, 403), so retrying won't help. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ORPCError && (error.status === 403 || error.status === 404)
}

/** Validation problems by field name. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof ORPCError) || error.code !== 'INVALID_INPUT' || !Array.isArray(error.data)) return {}
  const problems = error.data as FieldProblem[]
  return Object.fromEntries(problems.map(({ field, problem }) => [field, problem]))
}
