import { ORPCError } from '@orpc/client'
import { isErrorEnvelope } from '@x-automated/contract/errors'
import { session } from './session'

/** The signing half of a session, so that calls can be tried out without a browser. */
export interface Signer {
  currentToken(): Promise<string | null>
  /** After a 401: a fresh token, or null where the session is over. */
  refresh(): Promise<string | null>
}

/**
 * `fetch` with this browser's session, for what the typed client does not carry: streams and files. Renews the token once where it has ended.
 * @param path of the API, from its root: `/api/leads/export`
 * @throws ORPCError as the typed client does, where the answer is an error; TypeError where there is no connection
 */
export async function signedFetch(path: string, init: RequestInit = {}, signer: Signer = session): Promise<Response> {
  const send = (token: string | null) => {
    const headers = new Headers(init.headers)
    if (token) headers.set('authorization', `Bearer ${token}`)
    return fetch(path, { ...init, headers })
  }
  let answer = await send(await signer.currentToken())
  if (answer.status === 401) {
    const fresh = await signer.refresh()
    if (fresh) answer = await send(fresh)
  }
  if (!answer.ok) throw errorOf(answer.status, await answer.text().catch(() => ''))
  return answer
}

/** An error answer as the typed client throws it. @param body the answer's text, whatever it is */
export function errorOf(status: number, body: string): ORPCError<string, unknown> {
  let envelope: unknown = null
  try {
    envelope = JSON.parse(body)
  } catch {
    // Not the API's: something in between answered.
  }
  return isErrorEnvelope(envelope)
    ? new ORPCError(envelope.code, { status, message: envelope.error, data: envelope.details })
    : new ORPCError('UNAVAILABLE', {
        status,
        message: 'The server gave no proper answer. Please try again in a moment.',
      })
}
