import { Secret, TOTP } from 'otpauth'

/**
 * Returns the code that an authenticator app shows (RFC 6238). @param secret in base32 @param steps how
 * many steps of 30 seconds from now
 */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
}
