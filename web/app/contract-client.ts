import routes from 'virtual:contract-routes'
import { type Client, createClient, type Tokens } from '@x-automated/contract/client'

/** A client of the product's own API. The app uses `api` and `client` of api.ts; this is what they and the session are made of. */
export function contractClient(tokens?: Tokens): Client {
  // While pages are prerendered there is no location, and no call is made.
  const origin = typeof location === 'undefined' ? 'http://localhost' : location.origin
  return createClient({ contract: routes, url: `${origin}/api`, ...(tokens ? { tokens } : {}) })
}
