import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Scrypt = (
  password: string,
  salt: string,
  bytes: number,
  options: ScryptOptions,
  callback: (error: Error | null, key: Buffer) => void,
) => void

/** The cost that passwords.ts uses. Hashes with any other cost are left alone. */
const PRODUCT = { N: 16_384, r: 16 }
const CHEAP = { N: 16, r: 1 }
let isCheap = true

// Import this before passwords.ts, in tests and in the servers that they start. A real hash takes 100 ms of CPU time.
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
