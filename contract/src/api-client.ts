import { type Client, createClient } from './client.ts'
import { contract } from './contract.ts'

/**
 * The entry point of the packed client. `origin` looks like 'https://x-automated.example'; `apiKey`
 * comes from Settings → API.
 */
export function createApiClient({ origin, apiKey }: { origin: string; apiKey: string }): Client {
  return createClient({ contract, url: new URL('/api', origin).href, tokens: { current: () => apiKey } })
}

export { isDefinedError, ORPCError, safe } from '@orpc/client'
export type { CallContext, Client } from './client.ts'
