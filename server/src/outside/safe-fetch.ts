import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { mayConnectTo, refusalOf } from '../public-address.ts'

/** What of `fetch` it takes: enough for oauth4webapi's and jose's `customFetch`. */
export interface SafeRequest {
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever a Headers object is made of
  headers?: any
  body?: unknown
  signal?: AbortSignal | null
}

/** Fetches an address that somebody else gave. Redirects are answered, never followed. @throws AddressRefused; anything else where it fails */
export type SafeFetch = (address: string, request?: SafeRequest) => Promise<Response>

/** An address that may not be fetched: a private network's, or not one of the web. */
export class AddressRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'AddressRefused'
  }
}

export interface SafeFetchOptions {
  /** Lets addresses of this machine, and plain HTTP, be fetched: where the stand-ins run. */
  allowLoopback: boolean
  timeoutMs?: number
  /** A longer answer is an error. */
  maxBytes?: number
  /** Of a longer answer, or one that breaks off, the beginning is taken instead: for whom it is enough who answered. */
  takesBeginning?: boolean
  /** How names are resolved: the system's way, save in tests. */
  resolve?: typeof systemLookup
}

/**
 * A `fetch` for addresses that users give (server-side request forgery, OWASP): every address that a name resolves to must be a public one, looked at
 * in the very look-up that the connection is made by, so that a name cannot mean something else a moment later.
 */
export function createSafeFetch({
  allowLoopback,
  timeoutMs = 10_000,
  maxBytes = 512 * 1024,
  takesBeginning = false,
  resolve: resolveName = systemLookup,
}: SafeFetchOptions): SafeFetch {
  const lookup: LookupFunction = (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      const first = addresses?.[0]
      if (error || !first) return done(error ?? new Error(`${name} has no address`), '', 0)
      if (!addresses.every(({ address }) => mayConnectTo(address, allowLoopback)))
        return done(new AddressRefused(`${name} is an address of a private network`), '', 0)
      if (options.all) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }

  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = URL.canParse(address) ? new URL(address) : null
      const refused = url ? refusalOf(url, allowLoopback) : 'not an address of the web'
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
        // A connection of its own: none that was made under another rule is used again.
        agent: false,
      })
      let fail: (error: Error) => void = reject
      request.on('error', (error) => fail(error))
      request.once('response', (response) => {
        const parts: Buffer[] = []
        let size = 0
        const finish = () => resolve(answerOf(response, Buffer.concat(parts).subarray(0, maxBytes)))
        response.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (takesBeginning ? size < maxBytes : size <= maxBytes) return
          if (takesBeginning) finish()
          else reject(new Error(`the answer is longer than ${maxBytes} bytes`))
          request.destroy()
        })
        // Whoever has begun to answer has answered.
        if (takesBeginning) fail = finish
        response.on('error', fail)
        response.once('end', finish)
      })
      request.end(body === undefined || body === null ? undefined : String(body))
    })
}

function answerOf({ statusCode = 502, headers }: IncomingMessage, body: Buffer): Response {
  const answered = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) if (one !== undefined) answered.append(name, one)
  const isEmpty = [101, 204, 205, 304].includes(statusCode)
  return new Response(isEmpty ? null : new Uint8Array(body), { status: statusCode, headers: answered })
}
