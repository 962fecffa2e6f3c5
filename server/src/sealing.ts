import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts values that must be read again, such as tokens of other services. */
export interface Sealer {
  /** Encrypts a text with AES-256-GCM; returns base64url of nonce, tag and text. */
  seal(text: string): string
  /** Decrypts a sealed text. @throws if it was not sealed with this secret */
  open(sealed: string): string
}

/** Creates a sealer. @param secret AUTH_SECRET; @param purpose keeps keys of different uses apart (HKDF info) */
export function createSealer(secret: string, purpose: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    seal(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      // Without this, Node accepts a 4-byte tag, which can be guessed.
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** Hashes a token for storage; long random tokens need no slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** A random 256-bit token for links, codes and refresh tokens. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}
