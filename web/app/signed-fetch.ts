import { ORPCError } from '@orpc/client'
import { isErrorEnvelope } from '@x-automated/contract/errors'
import { session } from './session'

/** The part of the session that signs requests. Tests replace it. */
interface Signer {
  currentToken(): Promise<string | null>
  /** After a 401: a new token, or null if the session has ended. */
  refresh(): Promise<string | null>
}

/**
 * `fetch` with this browser's session, for streams and files. Renews the token once after a 401.
 * @throws ORPCError for error responses; TypeError if the connection fails
 */
export async function signedFetch(path: string, init: RequestInit = {}, signer: Signer = session): Promise<Response> {
  const send = (token: string | null) => {
    const headers = new Headers(init.headers)
    if (token) headers.set('authorization', `Bearer ${token}`)
    return fetch(path, { ...init, headers })
  }
  let response = await send(await signer.currentToken())
  if (response.status === 401) {
    const fresh = await signer.refresh()
    if (fresh) response = await send(fresh)
  }
  if (!response.ok) throw errorOf(response.status, await response.text().catch(() => ''))
  return response
}

/** Turns an error response into the error that the typed client would throw. @param body any text */
export function errorOf(status: number, body: string): ORPCError<string, unknown> {
  let envelope: unknown = null
  try {
    envelope = JSON.parse(body)
  } catch {
    // Not JSON, so a proxy responded.
  }
  return isErrorEnvelope(envelope)
    ? new ORPCError(envelope.code, { status, message: envelope.error, data: envelope.details })
    : new ORPCError('UNAVAILABLE', {
        status,
        message: 'The server sent an invalid response. Please try again in a moment.',
      })
}
