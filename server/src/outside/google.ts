import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  discoveryRequest,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateAuthResponse,
} from 'oauth4webapi'

/** What an id_token says of a person. */
export interface GoogleClaims {
  sub: string
  email: string | null
  emailVerified: boolean
  name: string | null
}

/** What binds an answer of Google's to what we asked: all three are made anew for each sign-in. */
export interface GoogleRequest {
  state: string
  nonce: string
  /** Our own PKCE verifier towards Google; the browser has another towards us. */
  codeVerifier: string
}

/** The person declined, or Google says that it failed. */
export class GoogleDeclined extends Error {
  readonly cancelled: boolean
  constructor(error: AuthorizationResponseError) {
    super(`Google answered ${error.error}`)
    this.name = 'GoogleDeclined'
    this.cancelled = error.error === 'access_denied'
  }
}

/** Google could not be reached, or does not behave like an OpenID provider. */
export class GoogleUnavailable extends Error {
  constructor(cause: unknown) {
    super('Google is not answering', { cause })
    this.name = 'GoogleUnavailable'
  }
}

export interface Google {
  /** Where somebody signs in. @throws GoogleUnavailable */
  authorizeUrl(request: GoogleRequest): Promise<string>
  /**
   * Trades what Google sent to the callback for what it says of the person.
   * @throws GoogleDeclined, GoogleUnavailable; anything else: an answer that does not fit the request
   */
  finish(callback: URL, request: GoogleRequest): Promise<GoogleClaims>
  /** Checks an id_token that somebody brings. @returns null where it is not good @throws GoogleUnavailable */
  readIdToken(idToken: string): Promise<(GoogleClaims & { nonce: string | null; expiresAt: Date }) | null>
}

const TIMEOUT_MS = 10_000
/** What discovery says is asked for again after this. */
const DISCOVERY_MS = 3_600_000

/**
 * OpenID Connect by discovery, with PKCE (https://developers.google.com/identity/openid-connect/openid-connect).
 * @param redirectUri our callback, as it is registered at Google
 */
export function createGoogle({
  issuer,
  clientId,
  clientSecret,
  redirectUri,
}: {
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
}): Google {
  const client = { client_id: clientId }
  const http = { [allowInsecureRequests]: issuer.startsWith('http://') }
  const options = () => ({ ...http, signal: AbortSignal.timeout(TIMEOUT_MS) })

  let known: { server: AuthorizationServer; keys: ReturnType<typeof createRemoteJWKSet>; at: number } | null = null
  const discover = async () => {
    if (known && Date.now() - known.at < DISCOVERY_MS) return known
    try {
      const url = new URL(issuer)
      const server = await processDiscoveryResponse(url, await discoveryRequest(url, options()))
      const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ''), { timeoutDuration: TIMEOUT_MS })
      known = { server, keys, at: Date.now() }
      return known
    } catch (error) {
      throw new GoogleUnavailable(error)
    }
  }

  return {
    async authorizeUrl({ state, nonce, codeVerifier }) {
      const { server } = await discover()
      const url = new URL(server.authorization_endpoint ?? '')
      url.search = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        prompt: 'select_account',
      }).toString()
      return url.href
    },

    async finish(callback, { state, nonce, codeVerifier }) {
      const { server } = await discover()
      let answer: URLSearchParams
      try {
        answer = validateAuthResponse(server, client, callback, state)
      } catch (error) {
        throw error instanceof AuthorizationResponseError ? new GoogleDeclined(error) : error
      }
      const authentication = ClientSecretPost(clientSecret)
      const response = await authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        answer,
        redirectUri,
        codeVerifier,
        options(),
      ).catch((error: unknown) => {
        throw new GoogleUnavailable(error)
      })
      const tokens = await processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      const claims = getValidatedIdTokenClaims(tokens)
      if (!claims) throw new Error('Google sent no id_token')
      return claimsOf(claims)
    },

    async readIdToken(idToken) {
      const { server, keys } = await discover()
      try {
        const { payload } = await jwtVerify(idToken, keys, {
          issuer: server.issuer,
          audience: clientId,
          algorithms: ['RS256'],
          requiredClaims: ['sub', 'exp', 'iat'],
        })
        const { exp = 0, nonce, sub = '' } = payload
        return {
          ...claimsOf({ ...payload, sub }),
          nonce: typeof nonce === 'string' ? nonce : null,
          expiresAt: new Date(exp * 1000),
        }
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        if (code === 'ERR_JWKS_TIMEOUT' || !code.startsWith('ERR_J')) throw new GoogleUnavailable(error)
        return null
      }
    },
  }
}

function claimsOf({ sub, email, email_verified, name }: { sub: string; [claim: string]: unknown }): GoogleClaims {
  return {
    sub,
    email: typeof email === 'string' && email.includes('@') ? email.trim().toLowerCase() : null,
    emailVerified: email_verified === true || email_verified === 'true',
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : null,
  }
}
