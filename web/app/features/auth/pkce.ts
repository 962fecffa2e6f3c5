import { type KeyValueStorage, localStorage, sessionStorage } from '../../browser-storage'

/**
 * KeyValueStorage in this browser only, between signing up and opening the mailed link, or going to Google and coming back.
 * A mailed link opens in a tab of its own; whoever goes elsewhere comes back in the tab they left, and two tabs may be on their way at once.
 */
const VERIFIER_KEYS = { signUp: 'signUpVerifier', google: 'googleVerifier', sso: 'ssoVerifier', link: 'linkVerifier' }

/**
 * Makes a verifier, keeps it, and returns its challenge (PKCE, RFC 7636, S256): the code behind what comes back (by mail, or from Google) then works in this browser only.
 * Null where the browser has no cryptography to offer (an origin without TLS): a mailed link then leads to the log-in page.
 */
export async function newCodeChallenge(purpose: keyof typeof VERIFIER_KEYS = 'signUp'): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  storageFor(purpose).setItem(VERIFIER_KEYS[purpose], verifier)
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** The verifier of what was begun in this browser, and forgets it; null where there was none. */
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
