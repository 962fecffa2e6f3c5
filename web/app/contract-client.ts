import routes from 'virtual:contract-routes'
import { type Client, createClient, type Tokens } from '@x-automated/contract/client'

/** A client of the product's API, from which api.ts builds `api` and `client`. */
export function contractClient(tokens?: Tokens): Client {
  // Prerendering has no location and makes no calls.
  const origin = typeof location === 'undefined' ? 'http://localhost' : location.origin
  return createClient({ contract: routes, url: `${origin}/api`, ...(tokens ? { tokens } : {}) })
}
