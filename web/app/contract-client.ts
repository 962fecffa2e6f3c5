import routes from 'virtual:contract-routes'
import { type Client, createClient, type Tokens } from '@x-automated/contract/client'

/** Whether the user is leaving the page. Calls that still save something must not be canceled then. */
let isLeaving = false
if (typeof addEventListener === 'function') {
  addEventListener('pagehide', () => {
    isLeaving = true
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
}

/** A client of the product's API, from which api.ts builds `api` and `client`. */
export function contractClient(tokens?: Tokens): Client {
  // Prerendering has no location and makes no calls.
  const origin = typeof location === 'undefined' ? 'http://localhost' : location.origin
  return createClient({
    contract: routes,
    url: `${origin}/api`,
    fetch: (request) => fetch(request, isLeaving ? { keepalive: true } : {}),
    ...(tokens ? { tokens } : {}),
  })
}
