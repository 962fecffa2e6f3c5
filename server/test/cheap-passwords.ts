import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Scrypt = (
  password: string,
  salt: string,
  bytes: number,
  options: ScryptOptions,
  callback: (error: Error | null, key: Buffer) => void,
) => void

/** The cost that passwords.ts asks for; its own test hashes with it. */
const PRODUCT = { N: 16_384, r: 16 }
const CHEAP = { N: 16, r: 1 }
let isCheap = true

// Imported before passwords.ts, in tests and by the servers that they start: a hash takes a core 100 ms.
const scrypt = crypto.scrypt as Scrypt
crypto.scrypt = ((password, salt, bytes, options, callback) => {
  const isPassword = options.N === PRODUCT.N && options.r === PRODUCT.r
  scrypt(password, salt, bytes, isCheap && isPassword ? { ...options, ...CHEAP } : options, callback)
}) as Scrypt as typeof crypto.scrypt
syncBuiltinESMExports()

/** Hashes passwords as slowly as the product while `work` runs. Hashes made outside it do not match. */
export async function withSlowPasswords(work: () => Promise<void>): Promise<void> {
  isCheap = false
  try {
    await work()
  } finally {
    isCheap = true
  }
}
