import { Secret, TOTP } from 'otpauth'

/** What an authenticator app shows (RFC 6238). @param secret in base32 @param steps of 30 seconds from now: a code works once */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
}
