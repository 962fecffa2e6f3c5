import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { unsubscribe } from '../domains/platform/notifications/notifications.ts'
import { unsubscribe as unsubscribeMember } from '../domains/waitlist/waitlist/waitlist.ts'
import type { Services } from '../services.ts'

export type WithToken = { Querystring: { token?: unknown; request?: unknown } }

/** Headers of responses whose URL contains a secret. */
export const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Ignores request bodies: mail clients post different kinds of forms, but the token is in the URL. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, body, done) => {
    body.resume()
    body.once('end', () => done(null))
  })
}

/**
 * Serves pages behind emailed links that change something: GET shows a button, because mail
 * scanners open every link. Mail clients also post to the unsubscribe links directly (RFC 8058).
 */
export async function serveEmailedForms(app: FastifyInstance, services: Services): Promise<void> {
  const database = services.database.for('public')
  const context = { ...services, database, db: database.db }
  const unsubscribeNotifications = async (token: string) =>
    `You'll no longer get emails about ${await unsubscribe(context, token)}. You can turn them back on in Settings → Notifications.`

  await app.register(async (links) => {
    ignoreBodies(links)
    const serveUnsubscribe = (path: string, question: string, unsubscribeFrom: (token: string) => Promise<string>) => {
      links.get(path, async (_request, reply) =>
        reply
          .type(HTML)
          .headers(PRIVATE)
          .send(pageOf(question, formOf('Unsubscribe'))),
      )
      links.post<WithToken>(path, async ({ query }, reply) => {
        const done = await unsubscribeFrom(textOf(query.token))
        return reply
          .type(HTML)
          .headers(PRIVATE)
          .send(pageOf("You're unsubscribed", `<p>${done}</p>`))
      })
    }
    // Emails that were already sent link to the second path.
    for (const path of ['/api/notifications/unsubscribe', '/api/notices/unsubscribe'])
      serveUnsubscribe(path, 'Unsubscribe from these emails?', unsubscribeNotifications)
    serveUnsubscribe('/api/waitlist/unsubscribe', 'Unsubscribe from waitlist emails?', async (token) => {
      await unsubscribeMember(context, token)
      return "You'll get no more emails about the waitlist."
    })
  })
  app.get('/api/auth/change-email', async (_request, reply) => {
    // form-action also applies to the redirect after the form.
    const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${services.origin}; frame-ancestors 'none'; base-uri 'none'`
    return reply.type(HTML).headers(PRIVATE).header('content-security-policy', policy).send(CHANGE_EMAIL)
  })
}

const HTML = 'text/html; charset=utf-8'
const formOf = (label: string) => `<form method="post"><button type="submit">${label}</button></form>`

function pageOf(heading: string, body: string, { title = heading, style = '' } = {}): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${style}</head><body><main><h1>${heading}</h1>${body}</main></body></html>`
}

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; font: 16px/1.6 system-ui, sans-serif }
main { max-width: 400px; padding: 24px }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.3 }
p { margin: 0 0 24px }
button { width: 100%; padding: 12px 20px; font: inherit; font-weight: 600; color: Canvas; background: CanvasText; border: 0; border-radius: 8px; cursor: pointer }
button:focus-visible { outline: 2px solid Highlight; outline-offset: 2px }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
const CHANGE_EMAIL = pageOf(
  'Change your email address?',
  `<p>Your X-Automated account uses the new address once both addresses are confirmed.</p>${formOf('Confirm the change')}`,
  { title: 'Change your email address', style: `<style>${STYLE}</style>` },
)
