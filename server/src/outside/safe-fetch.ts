import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

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
  /** Lets addresses of this machine and of private networks, and plain HTTP, be fetched: where the stand-ins run. */
  allowPrivate: boolean
  timeoutMs?: number
  maxBytes?: number
  /** How names are resolved: the system's way, save in tests. */
  resolve?: typeof systemLookup
}

/**
 * A `fetch` for addresses that users give (server-side request forgery, OWASP): every address that a name resolves to must be a public one, looked at
 * in the very look-up that the connection is made by, so that a name cannot mean something else a moment later.
 */
export function createSafeFetch({
  allowPrivate,
  timeoutMs = 10_000,
  maxBytes = 512 * 1024,
  resolve: resolveName = systemLookup,
}: SafeFetchOptions): SafeFetch {
  const lookup: LookupFunction = (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      const first = addresses?.[0]
      if (error || !first) return done(error ?? new Error(`${name} has no address`), '', 0)
      if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
        return done(new AddressRefused(`${name} is an address of a private network`), '', 0)
      if (options.all) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }

  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = URL.canParse(address) ? new URL(address) : null
      const refused = url ? refusalOf(url, allowPrivate) : 'not an address of the web'
      if (!url || refused) return reject(new AddressRefused(refused ?? ''))
      const deadline = AbortSignal.timeout(timeoutMs)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = send(url, {
        method,
        lookup,
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          'accept-encoding': 'identity',
          'user-agent': 'X-Automated',
        },
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        // A connection of its own: none that was made under another rule is used again.
        agent: false,
      })
      request.once('error', reject)
      request.once('response', (response) => {
        const parts: Buffer[] = []
        let size = 0
        response.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (size <= maxBytes) return
          reject(new Error(`the answer is longer than ${maxBytes} bytes`))
          request.destroy()
        })
        response.once('error', reject)
        response.once('end', () => {
          const status = response.statusCode ?? 502
          const answered = new Headers()
          for (const [name, value] of Object.entries(response.headers))
            for (const one of [value].flat()) if (one !== undefined) answered.append(name, one)
          const isEmpty = [101, 204, 205, 304].includes(status)
          resolve(new Response(isEmpty ? null : Buffer.concat(parts), { status, headers: answered }))
        })
      })
      if (body !== undefined && body !== null) request.write(String(body))
      request.end()
    })
}

/** Why the address may not be fetched, as far as it shows without asking; null where nothing shows. */
export function refusalOf(url: URL, allowPrivate: boolean): string | null {
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://'
  if (url.username || url.password) return 'must not hold a name or password'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && (isLocalName(host) || (ipaddr.isValid(host) && !isPublicAddress(host))))
    return 'must be a public address'
  return null
}

function isLocalName(host: string): boolean {
  return /^(localhost|.*\.(localhost|local|internal))\.?$/i.test(host)
}

/** Is it an address of the public internet? Neither loopback, private, link-local, nor one that only carries another. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}
