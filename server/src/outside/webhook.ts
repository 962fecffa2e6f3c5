import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isPrivateHost } from '../public-address.ts'
import { lookupPublic, PrivateAddress } from './public-lookup.ts'

export interface Hook {
  url: string
  headers: Record<string, string>
  body: string
  /** Also to this machine and its network: only where stand-ins run. */
  allowPrivate: boolean
}

/** What an endpoint answered, or why it gave no answer. */
export type HookAnswer = { status: number; excerpt: string } | { problem: string }

export const HOOK_TIMEOUT_SECONDS = 10
/** Bytes of an answer that are read. */
const EXCERPT_BYTES = 1_024

/** One POST to somebody's endpoint: 10 seconds at most, no redirect followed, the first kilobyte of the answer read. Never throws. */
export function postHook({ url, headers, body, allowPrivate }: Hook): Promise<HookAnswer> {
  return new Promise((resolve) => {
    const target = new URL(url)
    if (!allowPrivate && isPrivateHost(target.hostname)) return resolve({ problem: new PrivateAddress().message })
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    const signal = AbortSignal.timeout(HOOK_TIMEOUT_SECONDS * 1_000)
    const request = send(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A connection of its own: an idle one may be closed just as it is used again.
      agent: false,
      signal,
      ...(allowPrivate ? {} : { lookup: lookupPublic }),
    })
    request.once('error', (error) => resolve({ problem: wordsOf(error, signal.aborted) }))
    request.once('response', (response) => {
      const read: Buffer[] = []
      let bytes = 0
      const end = () => {
        const excerpt = Buffer.concat(read).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '')
        resolve({ status: response.statusCode ?? 0, excerpt })
        response.destroy()
      }
      response.on('data', (piece: Buffer) => {
        read.push(piece)
        bytes += piece.length
        if (bytes >= EXCERPT_BYTES) end()
      })
      // Who answered has taken it, however long the rest of the answer takes.
      response.once('end', end).once('error', end).once('aborted', end)
    })
    request.end(body)
  })
}

function wordsOf(error: NodeJS.ErrnoException, timedOut: boolean): string {
  if (timedOut) return `No answer within ${HOOK_TIMEOUT_SECONDS} seconds`
  if (error instanceof PrivateAddress) return error.message
  const codes: Record<string, string> = {
    ECONNREFUSED: 'The connection was refused',
    ECONNRESET: 'The connection was closed without an answer',
    ENOTFOUND: 'The host name is not known',
    EAI_AGAIN: 'The host name could not be looked up',
    EHOSTUNREACH: 'The host cannot be reached',
    ENETUNREACH: 'The host cannot be reached',
    ETIMEDOUT: 'The connection timed out',
  }
  const { code = '' } = error
  return (
    codes[code] ??
    (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code) ? 'Its certificate is not valid' : 'It could not be reached')
  )
}
