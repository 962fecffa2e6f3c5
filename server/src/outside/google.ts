import { createRemoteJWKSet, jwtVerify } from 'jose'
import { claimsOf, createOpenId, ProviderUnavailable } from './openid.ts'

export type Google = ReturnType<typeof createGoogle>

const TIMEOUT_MS = 10_000

/**
 * Sign-in with Google (https://developers.google.com/identity/openid-connect/openid-connect).
 * @param redirectUri our callback, as registered with Google
 */
export function createGoogle(options: { issuer: string; clientId: string; clientSecret: string; redirectUri: string }) {
  const openId = createOpenId(
    (address, request) =>
      fetch(address, {
        ...(request as RequestInit),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    {
      ...options,
      scopes: 'openid email profile',
      prompt: 'select_account',
      secretInBody: true,
      allowLoopback: options.issuer.startsWith('http://'),
    },
  )
  let cached: { address: string; keys: ReturnType<typeof createRemoteJWKSet> } | null = null

  return {
    ...openId,
    /** Verifies an id_token that a browser obtained. @returns null if invalid @throws ProviderUnavailable */
    async readIdToken(idToken: string) {
      const { issuer, jwks_uri: address = '' } = await openId.discover()
      if (cached?.address !== address)
        cached = { address, keys: createRemoteJWKSet(new URL(address), { timeoutDuration: TIMEOUT_MS }) }
      try {
        const { payload } = await jwtVerify(idToken, cached.keys, {
          issuer,
          audience: options.clientId,
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
        if (code === 'ERR_JWKS_TIMEOUT' || !code.startsWith('ERR_J')) throw new ProviderUnavailable(error)
        return null
      }
    },
  }
}
