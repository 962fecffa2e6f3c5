import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../app.ts'
import { confirmMember, unsubscribe } from '../domains/waitlist/service.ts'
import { Refusal } from '../refusal.ts'

type WithToken = { Querystring: { token?: unknown } }

/** The links in mails to members: GET /api/waitlist/confirm, GET and POST /api/waitlist/unsubscribe. */
export async function serveWaitlistLinks(app: FastifyInstance, services: Services): Promise<void> {
  const context = { ...services, db: services.database.db }

  app.get<WithToken>('/api/waitlist/confirm', async (request, reply) => {
    const page = new URL('/waitlist', services.origin)
    try {
      await confirmMember(context, tokenOf(request.query))
      page.searchParams.set('confirmed', 'true')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      page.searchParams.set('error', error.code)
    }
    return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(page.href)
  })

  await app.register(async (links) => {
    // Mail programs post a form of either kind; what it says is in the link already.
    links.removeAllContentTypeParsers()
    links.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      body.once('end', () => done(null))
    })
    // Opening the link alone changes nothing, as mail scanners open every link (RFC 8058).
    links.get<WithToken>('/api/waitlist/unsubscribe', async (_request, reply) =>
      sendPage(
        reply,
        'Stop mails about the waitlist?',
        '<form method="post"><button type="submit">Unsubscribe</button></form>',
      ),
    )
    links.post<WithToken>('/api/waitlist/unsubscribe', async (request, reply) => {
      await unsubscribe(context, tokenOf(request.query))
      return sendPage(reply, 'You are unsubscribed', '<p>You will get no more mails about the waitlist.</p>')
    })
  })
}

function tokenOf({ token }: { token?: unknown }): string {
  return typeof token === 'string' ? token : ''
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
