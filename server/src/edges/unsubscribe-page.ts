import type { FastifyInstance, FastifyReply } from 'fastify'

type WithToken = { Querystring: { token?: unknown } }

interface UnsubscribePage {
  path: string
  /** Asked of who opens the link. */
  question: string
  /** @returns what to say when it is done @throws Refusal INVALID_CODE */
  unsubscribe(token: string): Promise<string>
}

/** The page that a mail's 'Unsubscribe' opens, which mail programs also post to by themselves (RFC 8058). */
export async function serveUnsubscribePage(app: FastifyInstance, page: UnsubscribePage): Promise<void> {
  await app.register(async (links) => {
    // Mail programs post a form of either kind; what it says is in the link already.
    links.removeAllContentTypeParsers()
    links.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      body.once('end', () => done(null))
    })
    // Opening the link alone changes nothing, as mail scanners open every link.
    links.get<WithToken>(page.path, async (_request, reply) =>
      sendPage(reply, page.question, '<form method="post"><button type="submit">Unsubscribe</button></form>'),
    )
    links.post<WithToken>(page.path, async ({ query: { token } }, reply) => {
      const done = await page.unsubscribe(typeof token === 'string' ? token : '')
      return sendPage(reply, 'You are unsubscribed', `<p>${done}</p>`)
    })
  })
}

/** A page of its own, for who reads mail elsewhere: no script, no style. */
function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`,
    )
}
