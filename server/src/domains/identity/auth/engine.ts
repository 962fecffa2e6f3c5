import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { and, desc, eq, gt, like, sql } from 'drizzle-orm'
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { livingWorkers } from '../../../db/liveness.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { createSealer } from '../../../sealing.ts'
import { authKeys } from './tables.ts'

// Signs access tokens. Keys are stored with their private halves sealed.

/** Lifetime of an access token. */
export const ACCESS_TOKEN_SECONDS = 15 * 60
/** A session expires this long after its last refresh. */
export const SESSION_DAYS = 30
const KEY_ROTATION_DAYS = 90
/** A retired key still verifies tokens for this long. */
export const KEY_GRACE_SECONDS = 86_400

/** Signs a token with the newest key. After 90 days, creates a new key. @param origin issuer and audience */
export async function signToken(
  db: Db,
  { secret, origin }: { secret: string; origin: string },
  claims: JWTPayload & { exp: number },
): Promise<string> {
  const isLive = gt(authKeys.expiresAt, new Date())
  const [newest] = await db.select().from(authKeys).where(isLive).orderBy(desc(authKeys.createdAt)).limit(1)
  const { id: kid, privateKey } = newest ?? (await createKey(db, secret))
  const key = await importJWK(JSON.parse(openKey(secret, privateKey)), 'EdDSA')
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).setIssuer(origin).setAudience(origin)
  return token.sign(key)
}

async function createKey(db: Db, secret: string) {
  const crv = 'Ed25519'
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv, extractable: true })
  const row = {
    publicKey: JSON.stringify(await exportJWK(publicKey)),
    privateKey: keySealer(secret).seal(JSON.stringify(await exportJWK(privateKey))),
    alg: 'EdDSA',
    crv,
    expiresAt: new Date(Date.now() + KEY_ROTATION_DAYS * 86_400_000),
  }
  return one(await db.insert(authKeys).values(row).returning())
}

/**
 * Checks that the database was encrypted with this AUTH_SECRET, before anything is encrypted with
 * another one. @throws Error that says how to fix it, if it was not
 */
export async function checkSecret(db: Db, secret: string): Promise<void> {
  const [key] = await db.select().from(authKeys).orderBy(desc(authKeys.createdAt)).limit(1)
  if (!key) return
  try {
    openKey(secret, key.privateKey)
  } catch (error) {
    throw new Error(
      'The database is encrypted with another AUTH_SECRET. Set that one. ' +
        'If AUTH_SECRET was not set, it is the content of the file auth-secret in the DATA_DIR used then.',
      { cause: error },
    )
  }
}

/**
 * Reseals keys from earlier versions with the current sealer, unless a running process may know only
 * the old format.
 */
export async function sealEarlierKeys(db: Db, secret: string): Promise<void> {
  const isEarlier = like(authKeys.privateKey, '"%')
  const keys = await db
    .select()
    .from(authKeys)
    .where(and(isEarlier, sql`not exists (${livingWorkers})`))
  for (const { id, privateKey } of keys) {
    const sealed = keySealer(secret).seal(openKey(secret, privateKey))
    await db.update(authKeys).set({ privateKey: sealed }).where(eq(authKeys.id, id))
  }
}

function keySealer(secret: string) {
  return createSealer(secret, 'x-automated signing keys')
}

/** @returns the private JWK as JSON @throws if it was sealed with another secret */
function openKey(secret: string, sealed: string): string {
  return sealed.startsWith('"') ? openEarlier(secret, JSON.parse(sealed)) : keySealer(secret).open(sealed)
}

/** Opens a key as earlier versions sealed it: the nonce, text and tag of XChaCha20-Poly1305 in hex. */
function openEarlier(secret: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'hex')
  const key = createHash('sha256').update(secret).digest()
  // HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2) is a block of ChaCha20 without the final
  // addition of its input. The subkey consists of eight of its words.
  const input = Buffer.concat([Buffer.from('expand 32-byte k'), key, bytes.subarray(0, 16)])
  const block = createCipheriv('chacha20', key, bytes.subarray(0, 16)).update(Buffer.alloc(64))
  const subkey = Buffer.alloc(32)
  for (const [i, at] of [0, 4, 8, 12, 48, 52, 56, 60].entries())
    subkey.writeUInt32LE((block.readUInt32LE(at) - input.readUInt32LE(at)) >>> 0, i * 4)
  const nonce = Buffer.concat([Buffer.alloc(4), bytes.subarray(16, 24)])
  const decipher = createDecipheriv('chacha20-poly1305', subkey, nonce, { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(24, -16)), decipher.final()]).toString('utf8')
}
