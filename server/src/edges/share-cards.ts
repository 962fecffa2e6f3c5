import type { FastifyInstance } from 'fastify'
import { contextOf } from '../api.ts'
import { findReferralCode } from '../domains/waitlist/waitlist/waitlist.ts'
import { Refusal } from '../refusal.ts'
import type { RequestContext } from '../requests/context.ts'
import type { Services } from '../services.ts'
import { isPlausibleCode } from './page-head.ts'
import { drawSharePicture } from './share-picture.ts'

/** Cached pictures, about 40 KB each; the least recently used is evicted first. */
const KEPT_MAX = 200
/** Pictures waiting to be drawn. Beyond this, links get the generic picture. */
const WAITING_MAX = 10

type Key = number | null

/**
 * GET /share.png and /share/CODE.png: preview pictures, generic or with the referrer's position but
 * no name. Cached by position and drawn one at a time.
 */
export function serveShareCards(app: FastifyInstance, services: Services): void {
  const pictures = createPictures()

  app.get('/share.png', async (_request, reply) =>
    reply
      .headers(headersFor(86_400))
      .type('image/png')
      .send(await pictures.of(null)),
  )

  app.get<{ Params: { file: string } }>('/share/:file', async (request, reply) => {
    const { file } = request.params
    const code = file.endsWith('.png') ? file.slice(0, -'.png'.length) : ''
    if (!isPlausibleCode(code)) return reply.callNotFound()
    const position = await findPosition(contextOf(services, request, reply), code)
    const isDrawn = position === null || (position !== undefined && pictures.hasRoomFor(position))
    return reply
      .headers(headersFor(isDrawn ? 3_600 : 60))
      .type('image/png')
      .send(await pictures.of(isDrawn ? position : null))
  })
}

/** Finds a referrer's position. @returns null for unknown codes, undefined if the client is rate limited */
async function findPosition(context: RequestContext, code: string): Promise<number | null | undefined> {
  try {
    return (await findReferralCode(context, code))?.position || null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') return undefined
    throw error
  }
}

/** Headers of a picture, which other sites may embed. @param seconds how long it may be cached */
function headersFor(seconds: number): Record<string, string> {
  return { 'cache-control': `public, max-age=${seconds}`, 'cross-origin-resource-policy': 'cross-origin' }
}

function createPictures() {
  const cache = new Map<Key, Promise<Buffer>>()
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const draw = (position: Key) => {
    waiting += 1
    const drawn = last
      .then(() => drawSharePicture(position))
      .finally(() => {
        waiting -= 1
      })
    last = drawn.catch(() => cache.delete(position))
    return drawn
  }

  return {
    hasRoomFor: (position: number) => cache.has(position) || waiting < WAITING_MAX,
    of(position: Key): Promise<Buffer> {
      const picture = cache.get(position) ?? draw(position)
      cache.delete(position)
      cache.set(position, picture)
      const [oldest] = cache.keys()
      if (cache.size > KEPT_MAX && oldest !== undefined) cache.delete(oldest)
      return picture
    },
  }
}
