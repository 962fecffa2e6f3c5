import { type Pages, parsePages, type SignedPages, signedText } from '@x-automated/contract/outreach/extension-pages'

/** The criteria for using the product's document. */
interface Trust {
  /** The maintainers' public key: 32 bytes in base64. */
  publicKey: string
  /** The shipped version, and the highest version ever accepted. */
  versions: readonly number[]
  /** In milliseconds since 1970. */
  now: number
}

/** @returns the document if it may be used @throws Error with the reason */
export async function verifyPages(value: unknown, { publicKey, versions, now }: Trust): Promise<SignedPages> {
  const document = parsePages(value)
  if (document.version < Math.max(...versions))
    throw new Error(`version ${document.version} is older than the last one`)
  if (Date.parse(document.notAfter) <= now) throw new Error(`it was valid until ${document.notAfter}`)
  if (!(await isSigned(document, publicKey))) throw new Error('its signature is not valid')
  return document
}

async function isSigned(document: SignedPages, publicKey: string): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(publicKey), 'Ed25519', false, ['verify'])
  const signed = new TextEncoder().encode(signedText(document))
  return crypto.subtle.verify('Ed25519', key, bytesOf(document.signature), signed)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000

/** The stored document, the highest version ever accepted (0 if none), and when the product was last asked. */
export interface StoredPages {
  document: unknown
  version: number
  askedAt: number
}

interface PagesNeeds {
  shippedVersion: number
  publicKey: string
  store: { read(): Promise<StoredPages | null>; write(stored: StoredPages): Promise<void> }
  /** Fetches the product's document. */
  fetch(): Promise<unknown>
  now(): number
}

/** Fetches and stores the product's selectors for X's pages. Verifies them before each use. */
export function createSignedPages({ shippedVersion, publicKey, store, fetch, now }: PagesNeeds) {
  const verify = (value: unknown, version: number) =>
    verifyPages(value, { publicKey, versions: [shippedVersion, version], now: now() })

  return {
    /** Reads the served selectors. Null if the shipped ones apply. */
    async read(): Promise<Pages | null> {
      const stored = await store.read()
      if (!stored?.document) return null
      return verify(stored.document, stored.version).then(
        ({ pages }) => pages,
        () => null,
      )
    },
    /**
     * Asks the product for a document, unless it responded in the last 24 hours (one hour while a
     * part is missing) and `isForced` is false. An unusable document is not stored.
     */
    async refresh({ isForced = false, isPartMissing = false } = {}): Promise<void> {
      const stored = (await store.read()) ?? { document: null, version: 0, askedAt: 0 }
      const age = now() - stored.askedAt
      if (!isForced && age >= 0 && age < (isPartMissing ? HOUR_MS : DAY_MS)) return
      try {
        const fetched = await fetch()
        await store.write({ ...stored, askedAt: now() })
        const document = await verify(fetched, stored.version)
        await store.write({ document, version: document.version, askedAt: now() })
      } catch (error) {
        console.warn("The product's page data is not used:", error)
      }
    },
  }
}
