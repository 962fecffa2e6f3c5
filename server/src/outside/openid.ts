import { isStorable, safeName } from '@x-automated/contract/fields'
import * as oauth from 'oauth4webapi'
import { addressProblem } from '../public-address.ts'
import type { SafeFetch } from './safe-fetch.ts'

/** An identity provider's claims about a signed-in person. */
export interface ProviderClaims {
  /** Permanently identifies the person within the provider. */
  subject: string
  email: string | null
  /** False if the provider has not confirmed the address; null if it does not say. */
  emailConfirmed: boolean | null
  name: string | null
}

/** Binds a response to a request. All three are generated for each sign-in. */
export interface OpenIdRequest {
  state: string
  nonce: string
  codeVerifier: string
}

/** The person declined, or the provider reported an error. */
export class ProviderDeclined extends Error {
  readonly cancelled: boolean
  constructor(reason: string, cancelled: boolean) {
    super(`the identity provider answered ${reason}`)
    this.name = 'ProviderDeclined'
    this.cancelled = cancelled
  }
}

/** The provider could not be reached, or misbehaved. */
export class ProviderUnavailable extends Error {
  constructor(cause: unknown) {
    super('the identity provider is not responding', { cause })
    this.name = 'ProviderUnavailable'
  }
}

export type OpenId = ReturnType<typeof createOpenId>

/** How long the discovery document is cached. */
const DISCOVERY_MS = 3_600_000

/**
 * An OpenID Connect client with discovery, PKCE, state, nonce and signature checks (OpenID Connect
 * Core 1.0, RFC 9700).
 */
export function createOpenId(
  fetch: SafeFetch,
  options: {
    issuer: string
    clientId: string
    clientSecret: string
    scopes: string
    redirectUri: string
    /** The OpenID `prompt`, such as `select_account`. */
    prompt?: string
    /** Sends the client secret in the body, regardless of the provider's metadata. */
    secretInBody?: boolean
    /** Allows plain HTTP, for stand-ins. */
    allowLoopback: boolean
  },
) {
  const { issuer, clientId, clientSecret, scopes, redirectUri, prompt, secretInBody = false, allowLoopback } = options
  const client = { client_id: clientId }
  const http = { [oauth.allowInsecureRequests]: allowLoopback, [oauth.customFetch]: fetch }

  let cached: { server: oauth.AuthorizationServer; at: number } | null = null
  const discover = async () => {
    if (cached && performance.now() - cached.at < DISCOVERY_MS) return cached.server
    try {
      const url = new URL(issuer)
      const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http))
      cached = { server, at: performance.now() }
      return server
    } catch (error) {
      throw new ProviderUnavailable(error)
    }
  }

  return {
    /** The provider's discovery document. @throws ProviderUnavailable */
    discover,

    /** The number of the provider's public keys. @throws ProviderUnavailable */
    async countKeys(): Promise<number> {
      const { jwks_uri } = await discover()
      try {
        const response = await fetch(jwks_uri ?? '')
        const { keys } = (await response.json()) as { keys?: unknown }
        if (!response.ok || !Array.isArray(keys)) throw new Error(`${response.status} without keys`)
        return keys.length
      } catch (error) {
        throw new ProviderUnavailable(error)
      }
    },

    /** The URL where a person signs in. @throws ProviderUnavailable */
    async authorizeUrl({ state, nonce, codeVerifier }: OpenIdRequest, loginHint?: string | null): Promise<string> {
      const { authorization_endpoint = '' } = await discover()
      const isAddress = URL.canParse(authorization_endpoint)
      // The browser is redirected there, so it must be a public web address.
      if (!isAddress || addressProblem(new URL(authorization_endpoint), allowLoopback))
        throw new ProviderUnavailable(new Error('its authorization endpoint is not a public web address'))
      const url = new URL(authorization_endpoint)
      const parameters = {
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(prompt ? { prompt } : {}),
        ...(loginHint ? { login_hint: loginHint } : {}),
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },

    /**
     * Exchanges the callback's code for claims. @throws ProviderDeclined, ProviderUnavailable; any
     * other error: invalid response
     */
    async finish(callback: URL, { state, nonce, codeVerifier }: OpenIdRequest): Promise<ProviderClaims> {
      const server = await discover()
      let callbackParameters: URLSearchParams
      try {
        callbackParameters = oauth.validateAuthResponse(server, client, callback, state)
      } catch (error) {
        if (!(error instanceof oauth.AuthorizationResponseError)) throw error
        throw new ProviderDeclined(error.error, error.error === 'access_denied')
      }
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const authentication =
        !secretInBody && methods.includes('client_secret_basic')
          ? oauth.ClientSecretBasic(clientSecret)
          : oauth.ClientSecretPost(clientSecret)
      const response = await oauth
        .authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          callbackParameters,
          redirectUri,
          codeVerifier,
          http,
        )
        .catch(asUnavailable)
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      await oauth.validateApplicationLevelSignature(server, response, http)
      const claims = oauth.getValidatedIdTokenClaims(tokens)
      if (!claims) throw new Error('the identity provider sent no id_token')
      if (claims.email !== undefined || !server.userinfo_endpoint) return claimsOf(claims)
      // Strict providers return the address only from the userinfo endpoint.
      const info = await oauth.userInfoRequest(server, client, tokens.access_token, http).catch(asUnavailable)
      return claimsOf(await oauth.processUserInfoResponse(server, client, claims.sub, info))
    },
  }
}

function asUnavailable(error: unknown): never {
  throw new ProviderUnavailable(error)
}

/** The claims that we use from a verified id_token. */
export function claimsOf(claims: { sub: string; [claim: string]: unknown }): ProviderClaims {
  const { sub, email, email_verified: verified, name } = claims
  if (!isStorable(sub)) throw new ProviderUnavailable(new Error('the subject cannot be stored'))
  return {
    subject: sub,
    email: typeof email === 'string' && email.includes('@') && isStorable(email) ? email.trim().toLowerCase() : null,
    emailConfirmed: verified === undefined ? null : verified === true || verified === 'true',
    name: typeof name === 'string' && name.trim() !== '' ? safeName(name).slice(0, 100).toWellFormed() : null,
  }
}
