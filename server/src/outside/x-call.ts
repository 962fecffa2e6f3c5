import { errorOf, problemOf, XError } from './x-errors.ts'
import { limitOf } from './x-limits.ts'

/**
 * Timeout of a call. A send that timed out is settled by reading the conversation, once it can no
 * longer take effect.
 */
export const X_TIMEOUT_MS = 15_000

export type XRequest = {
  method?: string
  headers?: Record<string, string>
  body?: BodyInit
  accessToken?: string
  /** Whose token it is, and so whose limit counts. */
  caller?: 'account' | 'app'
}

/** Calls X. @throws XError */
export async function callX(
  apiUrl: string,
  timeoutMs: number,
  path: string,
  { accessToken, headers, caller = 'account', ...rest }: XRequest = {},
): Promise<Record<string, unknown>> {
  let response: Response
  let text: string
  try {
    response = await fetch(`${apiUrl}${path}`, {
      ...rest,
      headers: {
        accept: 'application/json',
        ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
        ...headers,
      },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    text = await response.text()
  } catch (error) {
    const refused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'
    throw new XError(refused ? 'unavailable' : 'unknown', refused ? 'X cannot be reached.' : 'X did not respond.')
  }
  const { status, statusText } = response
  const body = parse(text)
  if (!response.ok || !body) throw errorOf(problemOf(status, statusText, body), limitOf(response.headers, caller))
  return body
}

/** The data of a success. @throws XError what its `errors` mean, if it has no data */
export function dataOf(answer: Record<string, unknown>): unknown {
  if (answer.data !== undefined || !Array.isArray(answer.errors) || answer.errors.length === 0) return answer.data
  throw errorOf(problemOf(200, 'OK', answer), limitOf(new Headers(), 'account'))
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}
