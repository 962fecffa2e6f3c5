import { type ClientContext, createORPCClient, ORPCError } from '@orpc/client'
import type { AnyContractRouter, ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import type { Contract } from './contract.ts'
import { ERROR_STATUS, isErrorEnvelope } from './errors.ts'

export interface Tokens {
  /** The access token to send, or null to send none. */
  current(): string | null | Promise<string | null>
  /** Called once when a call was answered with 401; the new access token, or null when there is none to be had. */
  refresh?(): Promise<string | null>
}

export interface ClientOptions {
  /** The contract, or its minified form (which carries no schemas and so no zod into a browser). */
  contract: AnyContractRouter
  /** Where the API is: `https://host/api`. */
  url: string
  fetch?: typeof fetch
  tokens?: Tokens
}

export interface CallContext extends ClientContext {
  /** Sent as Idempotency-Key: repeat a call with the same key and it takes effect once. */
  idempotencyKey?: string
}

export type Client = ContractRouterClient<Contract, CallContext>

/**
 * A typed client of the API: `client.leads.list({ page: 2 })`.
 * A failed call throws an ORPCError whose `code` and `status` are the envelope's, whose `message` is a text to show and whose `data` are the envelope's details.
 */
export function createClient({ contract, url, fetch: send = fetch, tokens }: ClientOptions): Client {
  const link = new OpenAPILink<CallContext>(contract, {
    url,
    headers: ({ context }) => (context?.idempotencyKey ? { 'idempotency-key': context.idempotencyKey } : {}),
    customErrorResponseBodyDecoder: (body, response) =>
      isErrorEnvelope(body)
        ? new ORPCError(body.code, {
            status: ERROR_STATUS[body.code] ?? response.status,
            message: body.error,
            data: body.details,
            defined: body.code in ERROR_STATUS,
          })
        : null,
    fetch: async (request) => {
      const answer = await send(withToken(request.clone(), await tokens?.current()))
      // 401 means an expired token and nothing else (api.md), so one fresh token is worth one more try.
      if (answer.status !== 401 || !tokens?.refresh || isSigningIn(request.url)) return answer
      const fresh = await tokens.refresh()
      return fresh ? send(withToken(request, fresh)) : answer
    },
  })
  return createORPCClient(link)
}

function withToken(request: Request, token: string | null | undefined): Request {
  if (token) request.headers.set('authorization', `Bearer ${token}`)
  return request
}

function isSigningIn(url: string): boolean {
  return /\/auth\/(sign-in|sign-up|exchange|refresh)/.test(url)
}
