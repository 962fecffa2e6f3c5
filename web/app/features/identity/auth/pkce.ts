import { ORPCError } from '@orpc/client'
import { type KeyValueStorage, localStorage, sessionStorage } from '../../../browser-storage'

/** Storage keys. Sign-ups use local storage, because emailed links open in another tab. */
const VERIFIER_KEYS = { signUp: 'signUpVerifier', google: 'googleVerifier', sso: 'ssoVerifier', link: 'linkVerifier' }

/** Stores a verifier. Returns its PKCE challenge (RFC 7636, S256), or null on plain HTTP. */
export async function newCodeChallenge(purpose: keyof typeof VERIFIER_KEYS = 'signUp'): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  storageFor(purpose).setItem(VERIFIER_KEYS[purpose], verifier)
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** Returns and deletes the stored verifier; null if there is none. */
export function takeCodeVerifier(purpose: keyof typeof VERIFIER_KEYS = 'signUp'): string | null {
  const storage = storageFor(purpose)
  const verifier = storage.getItem(VERIFIER_KEYS[purpose])
  storage.removeItem(VERIFIER_KEYS[purpose])
  return verifier
}

function storageFor(purpose: keyof typeof VERIFIER_KEYS): KeyValueStorage {
  return purpose === 'signUp' ? localStorage : sessionStorage
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Like `newCodeChallenge`. @throws ORPCError with a text to show if Web Crypto is missing */
export async function requireCodeChallenge(purpose: 'google' | 'sso' | 'link'): Promise<string> {
  const challenge = await newCodeChallenge(purpose)
  if (challenge !== null) return challenge
  throw new ORPCError('INSECURE_PAGE', { status: 400, message: 'Open this page over HTTPS to sign in this way.' })
}
