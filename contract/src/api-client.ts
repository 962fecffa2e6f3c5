import { type Client, createClient } from './client.ts'
import { contract } from './contract.ts'

/**
 * Creates an API client; the entry point of the npm package. `origin` looks like
 * 'https://x-automated.example'; `apiKey` comes from Settings → API and sign-on.
 */
export function createApiClient({ origin, apiKey }: { origin: string; apiKey: string }): Client {
  return createClient({ contract, url: new URL('/api', origin).href, tokens: { current: () => apiKey } })
}

export { isDefinedError, ORPCError, safe } from '@orpc/client'
export type { CallContext, Client } from './client.ts'
