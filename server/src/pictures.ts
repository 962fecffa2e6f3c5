import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PictureHost } from './outside/picture-host.ts'
import type { PictureCache } from './picture-cache.ts'

const DAY_SECONDS = 86_400
/** A picture that could not be fetched is not requested again for this long. */
const MISSING_MS = 10 * 60 * 1000
const MISSING_MAX = 10_000

export type Pictures = ReturnType<typeof createPictures>

/** Serves people's pictures from our server: an image host would learn who looks at whom. */
export function createPictures({ secret, host, cache }: { secret: string; host: PictureHost; cache: PictureCache }) {
  const fetching = new Map<string, Promise<Buffer | null>>()
  const missing = new Map<string, number>()

  /** @param of a row's id, or the address of a picture that no row has */
  const sign = (of: string, expires: number) =>
    createHmac('sha256', secret).update(`picture\n${of}\n${expires}`).digest('base64url')

  async function readOrFetch(url: string, caches: boolean): Promise<Buffer | null> {
    const stored = await cache.read(url)
    if (stored) return stored
    const bytes = await host.fetch(url)
    if (bytes) {
      // A full or read-only disk costs speed only.
      if (caches) await cache.write(url, bytes).catch(() => {})
    } else {
      if (missing.size >= MISSING_MAX) missing.clear()
      missing.set(url, Date.now() + MISSING_MS)
    }
    return bytes
  }

  return {
    /** The path of a picture, valid until the end of the next day (UTC); null if there is none. */
    urlOf(id: string, source: string | null): string | null {
      if (!host.hasPicture(source)) return null
      const expires = endOfNextDay()
      return `/api/pictures/${id}?expires=${expires}&signature=${sign(id, expires)}`
    },
    /** Like `urlOf`, for the picture of someone who is not stored. */
    urlOfSource(source: string | null): string | null {
      if (!host.hasPicture(source)) return null
      const expires = endOfNextDay()
      return `/api/pictures?${new URLSearchParams({ source, expires: String(expires), signature: sign(source, expires) })}`
    },
    /** The row with the path of its picture. */
    withUrl<Row extends { id: string; profileImageUrl: string | null }>(row: Row): Row & { pictureUrl: string | null } {
      return { ...row, pictureUrl: this.urlOf(row.id, row.profileImageUrl) }
    },
    /** The row with the path of its lead's picture. */
    withLead<Lead extends { id: string; profileImageUrl: string | null }, Row extends { lead: Lead | null }>(row: Row) {
      return { ...row, lead: row.lead && this.withUrl(row.lead) }
    },
    /** A page with the paths of its leads' pictures. */
    withUrls<Page extends { leads: { id: string; profileImageUrl: string | null }[] }>(page: Page) {
      return { ...page, leads: page.leads.map((lead: Page['leads'][number]) => this.withUrl(lead)) }
    },
    /** Whether `urlOf` or `urlOfSource` made this address, and it has not expired. */
    isSigned(of: string, expires: number, signature: string, nowMs = Date.now()): boolean {
      const [wanted, actual] = [Buffer.from(sign(of, expires)), Buffer.from(signature)]
      return wanted.length === actual.length && timingSafeEqual(wanted, actual) && expires * 1000 > nowMs
    },
    /**
     * A picture from the cache or its host. Concurrent calls share one fetch. @param caches false for
     * people who are not stored, so that their pictures are not either
     */
    async read(source: string | null, { caches }: { caches: boolean }): Promise<Buffer | null> {
      if (!host.hasPicture(source) || (missing.get(source) ?? 0) > Date.now()) return null
      const running = fetching.get(source) ?? readOrFetch(source, caches).finally(() => fetching.delete(source))
      fetching.set(source, running)
      return running
    },
  }
}

/** In seconds since 1970, in UTC. */
function endOfNextDay(): number {
  return (Math.floor(Date.now() / 1000 / DAY_SECONDS) + 2) * DAY_SECONDS
}
