import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Stored hashes depend on these parameters, the length of the key and the normalization. */
const SCRYPT = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64
const deriveKey: (password: string, salt: string, bytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)

/** Hashes a password, slowly by design. @returns salt and key in hex, separated by a colon */
export async function hashPassword(password: string, salt = randomBytes(16).toString('hex')): Promise<string> {
  const key = await deriveKey(password.normalize('NFKC'), salt, KEY_BYTES, SCRYPT)
  return `${salt}:${key.toString('hex')}`
}

/** Whether this password has this hash. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [salt = ''] = hash.split(':', 1)
  const [expected, actual] = [Buffer.from(hash), Buffer.from(await hashPassword(password, salt))]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
