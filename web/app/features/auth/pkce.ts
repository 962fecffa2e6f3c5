/** Kept between signing up and opening the mailed link, in this browser only. */
const VERIFIER_KEY = 'signUpVerifier'

/**
 * Makes a verifier, keeps it, and returns its challenge (PKCE, RFC 7636, S256): the code behind the mailed link then works in this browser only.
 * Null where the browser has no cryptography to offer (an origin without TLS): the link then leads to the log-in page.
 */
export async function newCodeChallenge(): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  localStorage.setItem(VERIFIER_KEY, verifier)
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** The verifier of the sign-up made in this browser, and forgets it; null where there was none. */
export function takeCodeVerifier(): string | null {
  const verifier = localStorage.getItem(VERIFIER_KEY)
  localStorage.removeItem(VERIFIER_KEY)
  return verifier
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
