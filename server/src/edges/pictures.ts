import { isId } from '@x-automated/contract/fields'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { typeOfPicture } from '../outside/picture-host.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

type Query = Record<string, unknown>
type OfPicture = { Params: { id: string }; Querystring: Query }

/**
 * GET /api/pictures/:id, the picture of a lead or an X account, and GET /api/pictures, the picture of
 * someone who is not stored. Both by a signed URL.
 */
export function servePictures(app: FastifyInstance, { pictures, database }: Services): void {
  const requireSigned = (of: string, { expires, signature }: Query) => {
    if (typeof signature !== 'string' || !pictures.isSigned(of, Number(expires), signature))
      throw new Refusal('PICTURE_NOT_FOUND')
  }
  const send = async (reply: FastifyReply, source: string | null, options: { caches: boolean }) => {
    const bytes = await pictures.read(source, options)
    const type = bytes && typeOfPicture(bytes)
    if (!type) throw new Refusal('PICTURE_NOT_FOUND')
    return reply
      .type(type)
      .header('cache-control', 'private, max-age=86400')
      .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
      .send(bytes)
  }
  app.get<OfPicture>('/api/pictures/:id', async ({ params: { id }, query }, reply) => {
    if (!isId(id)) throw new Refusal('PICTURE_NOT_FOUND')
    requireSigned(id, query)
    const { rows } = await database
      .for('public')
      .pool.query<{ source: string | null }>(
        'select profile_image_url as source from leads where id = $1 union all select profile_image_url from x_accounts where id = $1',
        [id],
      )
    return send(reply, rows[0]?.source ?? null, { caches: true })
  })
  app.get<OfPicture>('/api/pictures', async ({ query }, reply) => {
    const { source } = query
    if (typeof source !== 'string') throw new Refusal('PICTURE_NOT_FOUND')
    requireSigned(source, query)
    return send(reply, source, { caches: false })
  })
}
