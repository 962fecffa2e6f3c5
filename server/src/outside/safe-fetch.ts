import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, Readable, Transform } from 'node:stream'
import { addressProblem, mayConnectTo } from '../public-address.ts'

/** The options of `fetch` that SafeFetch supports: enough for the `customFetch` of oauth4webapi and jose. */
export interface SafeRequest {
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever a Headers object is made of
  headers?: any
  body?: unknown
  signal?: AbortSignal | null
}

/**
 * Fetches an untrusted URL. Never follows redirects. @throws AddressRefused; other errors if the
 * request fails
 */
export type SafeFetch = (address: string, request?: SafeRequest) => Promise<Response>

/** The address is private, or not a web address. */
export class AddressRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'AddressRefused'
  }
}

interface SafeFetchOptions {
  /** Allows loopback addresses and plain HTTP, for stand-ins. */
  allowLoopback: boolean
  timeoutMs?: number
  /** Maximum size of a response. A longer one is an error, unless `takesBeginning` is set. */
  maxBytes?: number
  /** Returns the beginning of a response that is too long or breaks off, instead of failing. */
  takesBeginning?: boolean
  /** Returns a response when it begins. The body fails once it is too long. */
  isStreamed?: boolean
  /** Resolves host names; replaced in tests. */
  resolve?: typeof systemLookup
}

/**
 * A `fetch` for user-supplied URLs, against server-side request forgery (OWASP). It checks
 * addresses in the lookup that opens the connection, so DNS rebinding cannot bypass it.
 */
export function createSafeFetch({
  allowLoopback,
  timeoutMs = 10_000,
  maxBytes = 512 * 1024,
  takesBeginning = false,
  isStreamed = false,
  resolve: resolveName = systemLookup,
}: SafeFetchOptions): SafeFetch {
  const lookup: LookupFunction = (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, resolved) => {
      const addresses = resolved as LookupAddress[]
      const first = addresses?.[0]
      if (error || !first) return done(error ?? new Error(`${name} has no address`), '', 0)
      if (!addresses.every(({ address }) => mayConnectTo(address, allowLoopback)))
        return done(new AddressRefused(`${name} resolves to a private address`), '', 0)
      if (options.all) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }

  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = URL.canParse(address) ? new URL(address) : null
      const refused = url ? addressProblem(url, allowLoopback) : 'is not a web address'
      if (!url || refused) return reject(new AddressRefused(refused ?? ''))
      const deadline = AbortSignal.timeout(timeoutMs)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = send(url, {
        method,
        lookup,
        headers: {
          'user-agent': 'X-Automated',
          ...Object.fromEntries(new Headers(headers)),
          'accept-encoding': 'identity',
        },
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        // Do not reuse connections, which may have been opened under another rule.
        agent: false,
      })
      let fail: (error: Error) => void = reject
      request.on('error', (error) => fail(error))
      request.once('response', (response) => {
        if (isStreamed) return resolve(answerOf(response, limited(response, maxBytes)))
        const parts: Buffer[] = []
        let size = 0
        const finish = () => resolve(answerOf(response, new Uint8Array(Buffer.concat(parts).subarray(0, maxBytes))))
        response.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (takesBeginning ? size < maxBytes : size <= maxBytes) return
          if (takesBeginning) finish()
          else reject(new Error(`the answer is longer than ${maxBytes} bytes`))
          request.destroy()
        })
        // With takesBeginning, any response counts, even if it breaks off.
        if (takesBeginning) fail = finish
        response.on('error', fail)
        response.once('end', finish)
      })
      request.end(body === undefined || body === null ? undefined : String(body))
    })
}

type Body = ConstructorParameters<typeof Response>[0]

function answerOf({ statusCode = 502, headers }: IncomingMessage, body: Body): Response {
  const answered = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const entry of [value].flat()) if (entry !== undefined) answered.append(name, entry)
  const isEmpty = [101, 204, 205, 304].includes(statusCode)
  return new Response(isEmpty ? null : body, { status: statusCode, headers: answered })
}

/** Streams a response body as it arrives. Fails once it is longer than `maxBytes`. */
function limited(response: IncomingMessage, maxBytes: number): Body {
  let size = 0
  const limit = new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length
      if (size > maxBytes) done(new Error(`the answer is longer than ${maxBytes} bytes`))
      else done(null, part)
    },
  })
  pipeline(response, limit, () => {})
  return Readable.toWeb(limit) as unknown as Body
}
