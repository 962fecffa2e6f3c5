/** X's image host. */
const X_PICTURES = 'https://pbs.twimg.com'
const MAX_BYTES = 200 * 1024
const TIMEOUT_MS = 15_000

export type PictureHost = ReturnType<typeof createPictureHost>

/** The only host that pictures are fetched from. @param standIn the stand-in's origin; null: X's host */
export function createPictureHost(standIn: string | null) {
  const origin = standIn ?? X_PICTURES
  return {
    hasPicture: (url: string | null): url is string => url?.startsWith(`${origin}/`) ?? false,

    /** Fetches a picture. @returns null if there is none, it is too large or not a picture, or the host fails */
    async fetch(url: string): Promise<Buffer | null> {
      try {
        // X's pictures have 48 pixels, too few for sharp screens; the next size has 73.
        const response = await fetch(standIn ? url : url.replace(/_normal(\.\w+)$/, '_bigger$1'), {
          redirect: 'error',
          credentials: 'omit',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        const bytes = response.ok ? await readWithin(response, MAX_BYTES) : null
        if (!response.ok) await response.body?.cancel()
        return bytes && typeOfPicture(bytes) ? bytes : null
      } catch {
        return null
      }
    },
  }
}

/** The media type of a JPEG, PNG or WebP by its first bytes; null: it is something else. */
export function typeOfPicture(bytes: Buffer): 'image/jpeg' | 'image/png' | 'image/webp' | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png'
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isWebp ? 'image/webp' : null
}

/** Reads a body; null if it is longer than `maxBytes`. */
async function readWithin(response: Response, maxBytes: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > maxBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}
