import { isId } from '@x-automated/contract/fields'
import type { FastifyInstance } from 'fastify'
import { typeOfPicture } from '../outside/picture-host.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

type OfPicture = { Params: { id: string }; Querystring: Record<string, unknown> }

/** GET /api/pictures/:id: the picture of a lead or an X account, by a signed URL. */
export function servePictures(app: FastifyInstance, { pictures, database }: Services): void {
  app.get<OfPicture>('/api/pictures/:id', async ({ params: { id }, query: { expires, signature } }, reply) => {
    if (!isId(id) || typeof signature !== 'string' || !pictures.isSigned(id, Number(expires), signature))
      throw new Refusal('PICTURE_NOT_FOUND')
    const { rows } = await database
      .for('public')
      .pool.query<{ source: string | null }>(
        'select profile_image_url as source from leads where id = $1 union all select profile_image_url from x_accounts where id = $1',
        [id],
      )
    const bytes = await pictures.read(rows[0]?.source ?? null)
    const type = bytes && typeOfPicture(bytes)
    if (!type) throw new Refusal('PICTURE_NOT_FOUND')
    return reply
      .type(type)
      .header('cache-control', 'private, max-age=86400')
      .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
      .send(bytes)
  })
}
