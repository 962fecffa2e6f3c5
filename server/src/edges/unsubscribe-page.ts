import type { FastifyInstance, FastifyReply } from 'fastify'

type WithToken = { Querystring: { token?: unknown } }

interface UnsubscribePage {
  path: string
  /** The heading of the page. */
  question: string
  /** @returns the confirmation text @throws Refusal INVALID_CODE */
  unsubscribe(token: string): Promise<string>
}

/**
 * The page behind an email's Unsubscribe link. Mail clients also post to it directly (RFC 8058).
 */
export async function serveUnsubscribePage(app: FastifyInstance, page: UnsubscribePage): Promise<void> {
  await app.register(async (links) => {
    // Mail clients post different kinds of forms, but the token is in the URL.
    links.removeAllContentTypeParsers()
    links.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      body.once('end', () => done(null))
    })
    // GET changes nothing, because mail scanners open every link.
    links.get<WithToken>(page.path, async (_request, reply) =>
      sendPage(reply, page.question, '<form method="post"><button type="submit">Unsubscribe</button></form>'),
    )
    links.post<WithToken>(page.path, async ({ query: { token } }, reply) => {
      const done = await page.unsubscribe(typeof token === 'string' ? token : '')
      return sendPage(reply, "You're unsubscribed", `<p>${done}</p>`)
    })
  })
}

/** A minimal page without scripts or styles. */
function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`,
    )
}
