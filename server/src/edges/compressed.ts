import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply } from 'fastify'

const encoders: Record<string, (text: string) => Promise<Buffer>> = {
  br: (text) =>
    promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
  gzip: (text) => promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }),
}

/** Sends a constant text, compressed once per encoding, and 304 to clients that have it. */
export type SendText = (reply: FastifyReply) => Promise<FastifyReply>

export function compressedOnce(text: string): SendText {
  const made = new Map<string, Promise<Buffer>>()
  // Weak, because all encodings share it.
  const tag = `W/"${createHash('sha256').update(text).digest('base64url')}"`
  return async (reply) => {
    reply.header('vary', 'accept-encoding')
    if (reply.statusCode === 200) {
      reply.header('etag', tag)
      if (reply.request.headers['if-none-match'] === tag) return reply.status(304).send()
    }
    const encoding = negotiate(reply.request.headers['accept-encoding'] ?? '', Object.keys(encoders))
    const compress = encoding && encoders[encoding]
    if (!compress) return reply.send(text)
    const bytes = made.get(encoding) ?? compress(text)
    made.set(encoding, bytes)
    return reply.header('content-encoding', encoding).send(await bytes)
  }
}
