import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '../refusal.ts'
import { sendRefusal } from './envelope.ts'

interface Page {
  html: string
  policy: string
  isFramed: boolean
}

/** What every signed-in page begins from. */
const FALLBACK_FILE = '__spa-fallback.html'

/** The join widget: the one page that others may frame, and the script by which they do (docs/widget.md). */
const WIDGET_PAGE = '/embed'
const WIDGET_SCRIPT = 'embed.js'

/** Static documents: their bare paths lead the browser to them (specification §2). */
const DOCUMENTS = ['/privacy', '/terms']
/** Stands in the documents for the address that people write to. */
const SUPPORT_PLACEHOLDER = 'support@x-automated.example'

/**
 * Serves the built web app: prerendered pages as they are, every other path of the app with the fallback page, anything else with the 404 page.
 * @param folder web/build/client
 * @param pictures where pictures of people on X come from, beside X's own host; null: from nowhere else
 * @param supportEmail the address that the documents name
 */
export async function servePages(
  app: FastifyInstance,
  folder: string,
  pictures: string | null,
  supportEmail: string,
): Promise<void> {
  const pages = existsSync(folder) ? readPages(folder, pictures, supportEmail) : new Map<string, Page>()
  const fallback = pages.get('/__spa-fallback')
  const list = readPageList(folder)
  const notFound = pages.get(list.notFound)
  const appPaths = list.app.map(patternOf)

  if (existsSync(folder)) {
    await app.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      // HTML goes out with its own policy, below.
      globIgnore: ['**/*.html'],
      setHeaders(reply, path) {
        const hashed = path.includes('/assets/')
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
        if (path === join(folder, WIDGET_SCRIPT)) reply.header('cross-origin-resource-policy', 'cross-origin')
      },
    })
  }

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads || path.startsWith('/api/') || path === '/api') return sendRefusal(reply, new Refusal('NOT_FOUND'))
    const bare = path === '/' ? path : path.replace(/\/$/, '')
    if (DOCUMENTS.includes(bare) && pages.has(`${bare}.html`)) return reply.redirect(`${bare}.html`, 302)
    const page = pages.get(bare)
    if (page && page !== fallback) return sendPage(reply, page, page === notFound ? 404 : 200)
    if (fallback && appPaths.some((pattern) => pattern.test(path))) return sendPage(reply, fallback, 200)
    if (notFound) return sendPage(reply, notFound, 404)
    return sendRefusal(reply, new Refusal('NOT_FOUND', 'The web app is not built.'))
  })
}

function sendPage(reply: FastifyReply, page: Page, status: number): FastifyReply {
  if (page.isFramed) {
    // Set for every answer, before it is known which page it is.
    reply.raw.removeHeader('x-frame-options')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', page.policy)
    .send(page.html)
}

/** Every HTML file of the build by its path, with a policy that allows exactly its own inline scripts. */
function readPages(folder: string, pictures: string | null, supportEmail: string): Map<string, Page> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  return new Map(
    files.map((file) => {
      const built = readFileSync(join(folder, file), 'utf8')
      // The pages that show leads read there what the policy allows.
      const html =
        pictures && file === FALLBACK_FILE
          ? built.replace('<head>', `<head><meta name="pictures" content="${pictures}"/>`)
          : built.replaceAll(SUPPORT_PLACEHOLDER, supportEmail)
      const bare = `/${file
        .replaceAll('\\', '/')
        .replace(/(^|\/)index\.html$/, '')
        .replace(/\.html$/, '')}`
      const path = DOCUMENTS.includes(bare) ? `${bare}.html` : bare
      const isFramed = path === WIDGET_PAGE
      return [path, { html, policy: policyFor(html, isFramed ? '*' : "'none'", pictures), isFramed }]
    }),
  )
}

/** What the build says of its pages (build/pages.json): which paths the fallback page serves, and the not-found page. */
interface PageList {
  /** Patterns such as `/campaigns/:campaignId`. */
  app: string[]
  notFound: string
}

function readPageList(folder: string): PageList {
  const file = join(folder, '..', 'pages.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PageList) : { app: [], notFound: '/404' }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}/?$`)
}

/**
 * A prerendered page can carry no nonce, so its inline scripts are allowed by their hashes.
 * @param framedBy who may show the page in a frame
 */
function policyFor(html: string, framedBy: "'none'" | '*', pictures: string | null): string {
  const hashes = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script]) =>
      `'sha256-${createHash('sha256')
        .update(script ?? '')
        .digest('base64')}'`,
  )
  return [
    "default-src 'self'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    "style-src 'self'",
    `img-src 'self' data: https://pbs.twimg.com${pictures ? ` ${pictures}` : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')
}
