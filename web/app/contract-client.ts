import routes from 'virtual:contract-routes'
import { type Client, createClient, type Tokens } from '@x-automated/contract/client'

/**
 * A client of the product's API. The app uses `api` and `client` from api.ts, which are built on
 * this.
 */
export function contractClient(tokens?: Tokens): Client {
  // Prerendering has no location and makes no calls.
  const origin = typeof location === 'undefined' ? 'http://localhost' : location.origin
  return createClient({ contract: routes, url: `${origin}/api`, ...(tokens ? { tokens } : {}) })
}
