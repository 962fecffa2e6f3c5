import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { confirmEmailChange } from '../domains/identity/account/service.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

type WithToken = { Querystring: { token?: unknown } }

/**
 * Links for changing an email address: GET shows a form, because mail scanners open links; POST
 * confirms.
 */
export async function serveChangeEmail(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (links) => {
    // The form is empty: the token is in the URL.
    links.removeAllContentTypeParsers()
    links.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      body.once('end', () => done(null))
    })

    links.get<WithToken>('/api/auth/change-email', async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          // form-action also applies to the redirect after the form.
          'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${services.origin}; frame-ancestors 'none'; base-uri 'none'`,
        })
        .send(PAGE),
    )

    links.post<WithToken>('/api/auth/change-email', async (request, reply) => {
      const page = new URL('/account', services.origin)
      try {
        const { token } = request.query
        const context = { ...services, db: services.database.db }
        page.searchParams.set('emailChange', await confirmEmailChange(context, typeof token === 'string' ? token : ''))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        page.searchParams.set('emailChange', 'error')
      }
      return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(page.href, 303)
    })
  })
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
const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Change your email address</title><style>${STYLE}</style></head><body><main><h1>Change your email address?</h1><p>Your X-Automated account uses the new address once both addresses are confirmed.</p><form method="post"><button type="submit">Confirm the change</button></form></main></body></html>`
