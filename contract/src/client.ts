import { type ClientContext, createORPCClient, ORPCError } from '@orpc/client'
import type { AnyContractRouter, ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import type { Contract } from './contract.ts'
import { isErrorEnvelope } from './errors.ts'

export interface Tokens {
  /** Returns the access token to send, or null if there is none. */
  current(): string | null | Promise<string | null>
  /** Called once after a 401. Returns a new access token, or null if there is none. */
  refresh?(): Promise<string | null>
}

interface ClientOptions {
  /** The contract, or its minified form without schemas, so that browsers need no zod. */
  contract: AnyContractRouter
  /** Base URL of the API, such as `https://host/api`. */
  url: string
  fetch?: typeof fetch
  tokens?: Tokens
}

export interface CallContext extends ClientContext {
  /** Sent as Idempotency-Key: repeated calls with the same key take effect once. */
  idempotencyKey?: string
}

export type Client = ContractRouterClient<Contract, CallContext>

/** Creates a typed API client. Failed calls throw an ORPCError with the error envelope's contents. */
export function createClient({ contract, url, fetch: send = fetch, tokens }: ClientOptions): Client {
  const link = new OpenAPILink<CallContext>(contract, {
    url,
    headers: ({ context }) => (context?.idempotencyKey ? { 'idempotency-key': context.idempotencyKey } : {}),
    customErrorResponseBodyDecoder: (body, response) =>
      isErrorEnvelope(body)
        ? new ORPCError(body.code, { status: response.status, message: body.error, data: body.details, defined: true })
        : null,
    fetch: async (request) => {
      const response = await send(withToken(request.clone(), await tokens?.current()))
      // Outside the sign-in calls, a 401 means an expired token, so retry once with a new one.
      if (response.status !== 401 || !tokens?.refresh || isSigningIn(request.url)) return response
      const fresh = await tokens.refresh()
      return fresh ? send(withToken(request, fresh)) : response
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
