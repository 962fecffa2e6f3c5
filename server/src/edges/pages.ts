import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import { isPlanId } from '@x-automated/contract/platform/plans'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Env } from '../env.ts'
import { Refusal } from '../refusal.ts'
import { compressedOnce, type SendText } from './compressed.ts'
import { PRIVATE } from './emailed-forms.ts'
import { sendRefusal } from './envelope.ts'
import {
  type Address,
  isPlausibleCode,
  withAddress,
  withHead,
  withoutIndex,
  withReferrer,
  withTitle,
} from './page-head.ts'

interface Page {
  send: SendText
  policy: string
  isFramed: boolean
  /** The page for a referral link; null for documents, the widget and the fallback page. */
  invitation: ((code: string) => string) | null
  /** The fallback page with another title; null for other pages. */
  titled: ((title: string) => SendText) | null
}

/** The HTML that every signed-in page starts from. */
const FALLBACK_PAGE = '/__spa-fallback.html'

/** The join widget, the only page that others may frame, and its loader (docs/widget.md). */
const WIDGET_PAGE = '/embed'
const WIDGET_SCRIPT = 'embed.js'

/** Pages whose paths end in `.html`. The paths without `.html` redirect there. */
const DOCUMENTS = ['/privacy', '/terms']

/** Keeps a page whose URL contains a secret out of caches and search, and the URL out of the Referer header. */
const SECRET_HEADERS = { ...PRIVATE, 'x-robots-tag': 'noindex' }

interface PagesOptions extends Address {
  /** web/build/client */
  folder: string
  /** Whether a member has this referral code. */
  knowsCode(request: FastifyRequest, code: string): Promise<boolean>
}

/** Shows the 404 page to browsers; returns false for API requests or if no page is built. */
export type ShowNotFound = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Serves the built web app: prerendered pages, the fallback page for the app's other paths, and the
 * 404 page. @returns the 404 handler for other routes
 */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<ShowNotFound> {
  const { folder } = options
  const list = readPageList(folder)
  const pages = existsSync(folder) ? readPages(options, list) : new Map<string, Page>()
  const fallback = pages.get(FALLBACK_PAGE)
  const notFound = pages.get(list.notFound)
  serveCrawlers(app, options.origin, list.findable)

  if (existsSync(folder)) {
    await app.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      // HTML is sent below with its own policy, and precompressed files replace their originals.
      globIgnore: ['**/*.html', '**/*.br', '**/*.gz'],
      preCompressed: true,
      setHeaders(reply, path) {
        const hashed = path.startsWith(join(folder, 'assets') + sep)
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
        if (path.replace(/\.(br|gz)$/, '') === join(folder, WIDGET_SCRIPT))
          reply.header('cross-origin-resource-policy', 'cross-origin')
      },
    })
  }

  for (const [path, page] of pages) {
    if (page === fallback || page === notFound || path in list.secret) continue
    serve(app, path, async (request, reply) => {
      const { ref } = request.query as { ref?: unknown }
      if (!page.invitation || !isPlausibleCode(ref) || !(await options.knowsCode(request, ref)))
        return sendPage(reply, page, 200)
      const html = page.invitation(ref)
      return sendPage(reply, { ...page, send: async (own) => own.header('vary', 'accept-encoding').send(html) }, 200)
    })
  }
  for (const [file, path] of Object.entries(list.secret)) {
    const page = pages.get(file)
    if (!page) continue
    serve(app, path, (request, reply) => {
      const isComplete = Object.values(request.params as Record<string, string>).every((value) => value !== '')
      return isComplete ? sendPage(reply.headers(SECRET_HEADERS), page, 200) : reply.callNotFound()
    })
  }
  for (const path of DOCUMENTS)
    if (pages.has(`${path}.html`)) serve(app, path, (_request, reply) => reply.redirect(`${path}.html`, 302))
  for (const [path, title] of Object.entries(list.app)) {
    if (!fallback?.titled) break
    const page = { ...fallback, send: fallback.titled(title) }
    serve(app, path, (_request, reply) => sendPage(reply, page, 200))
  }

  const paths = [...pages.keys(), ...DOCUMENTS, ...Object.keys(list.app)]
  const pattern = new RegExp(`^(${paths.map((path) => path.replace(/:[^/]+/g, '[^/]+')).join('|')})/?$`)
  const isPage = (path: string) => pattern.test(path)
  app.setNotFoundHandler((request, reply) => {
    const reads = request.method === 'GET' || request.method === 'HEAD'
    const isAsked = reads || (request.method === 'POST' && takesPages(request))
    if (!isAsked || isOfApi(request.url)) return sendRefusal(reply, new Refusal('NOT_FOUND'))
    const meant = reads ? canonicalPath(request.url, isPage) : null
    if (meant) return reply.redirect(meant, 302)
    if (notFound) return sendPage(reply, notFound, 404)
    return sendRefusal(reply, new Refusal('NOT_FOUND', 'The web app is not built.'))
  })
  return (request, reply) => {
    if (!notFound || isOfApi(request.url) || !takesPages(request)) return false
    void sendPage(reply, notFound, 404)
    return true
  }
}

/**
 * Corrects a URL for the app's router, which, unlike this server, ignores case and reads `//` as a
 * host. @param url path and query @returns the corrected path and query, or null
 */
function canonicalPath(url: string, isPage: (path: string) => boolean): string | null {
  const [, path = '', query = ''] = url.match(/^([^?]*)(.*)$/s) ?? []
  const single = path.replace(/^\/[/\\]+/, '/')
  const lower = single.toLowerCase()
  const meant = isPage(lower) ? lower : single
  return meant === path ? null : meant + query
}

function isOfApi(url: string): boolean {
  return /^\/api(?![^/?])/.test(url)
}

/** Whether the client is a browser that displays the response. */
function takesPages({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false
}

/** Serves a path of the app, with and without a trailing slash. */
function serve(app: FastifyInstance, path: string, handler: RouteHandlerMethod): void {
  for (const url of path === '/' ? [path] : [path, `${path}/`]) {
    app.get(url, handler)
    app.post(url, { onRequest: redirectToPage }, () => {})
  }
}

/** Redirects a form posted without JavaScript to its page, without reading the body. */
async function redirectToPage({ url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // Requests through proxies have absolute URLs, which may name any host.
  const { pathname, search } = new URL(url, 'http://here')
  return reply.redirect(pathname + search, 303)
}

function sendPage(reply: FastifyReply, page: Page, status: number): Promise<FastifyReply> {
  if (page.isFramed) {
    // Helmet sets this header for every response.
    reply.raw.removeHeader('x-frame-options')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
  reply.status(status).type('text/html; charset=utf-8').header('content-security-policy', page.policy)
  return page.send(reply)
}

/** Reads every HTML file of the build, with a policy that allows exactly its own inline scripts. */
function readPages({ folder, ...address }: PagesOptions, list: PageList): Map<string, Page> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  return new Map(
    files.map((file): [string, Page] => {
      const built = withAddress(readFileSync(join(folder, file), 'utf8'), address)
      const path = `/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '')}`
      const isFramed = path === WIDGET_PAGE
      const policy = policyFor(built, isFramed ? '*' : "'none'")
      const render = (code?: string) =>
        list.findable.includes(path)
          ? withHead(built, address.origin + path, address.origin, code)
          : withoutIndex(built)
      const isForGuests = !isFramed && !path.endsWith('.html')
      const invitation = isForGuests ? (code: string) => withReferrer(render(code), code) : null
      const titled = path === FALLBACK_PAGE ? (title: string) => compressedOnce(withTitle(render(), title)) : null
      return [path, { send: compressedOnce(render()), policy, isFramed, invitation, titled }]
    }),
  )
}

/** Contents of build/pages.json, written by the build. */
interface PageList {
  /** Titles of the paths served by the fallback page, as Fastify patterns: `/campaigns/:campaignId`. */
  app: Record<string, string>
  notFound: string
  /** Prerendered pages whose URLs contain a secret, with the Fastify pattern of each. */
  secret: Record<string, string>
  /** Indexable prerendered pages. */
  findable: string[]
}

function readPageList(folder: string): PageList {
  const file = join(folder, '..', 'pages.json')
  const none = { app: {}, notFound: '/404', secret: {}, findable: [] }
  return existsSync(file) ? { ...none, ...(JSON.parse(readFileSync(file, 'utf8')) as PageList) } : none
}

/**
 * The content security policy of a page: by hash, because prerendered pages cannot carry a nonce.
 * @param framedBy who may frame the page
 */
function policyFor(html: string, framedBy: "'none'" | '*'): string {
  const scripts = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)
  const styles = html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)
  return [
    "default-src 'self'",
    ["script-src 'self'", ...hashesOf(scripts)].join(' '),
    ["style-src 'self'", ...hashesOf(styles)].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')
}

function hashesOf(inline: Iterable<RegExpMatchArray>): Set<string> {
  const texts = [...inline].map(([, text]) => text ?? '')
  return new Set(texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`))
}

/** GET /robots.txt and /sitemap.xml. @param paths of indexable pages */
function serveCrawlers(app: FastifyInstance, origin: string, paths: readonly string[]): void {
  const robots = `User-agent: *\nDisallow: /api/\nDisallow: /buy/\n\nSitemap: ${origin}/sitemap.xml\n`
  // https://www.sitemaps.org/protocol.html
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('\n')}
</urlset>
`
  const cache = 'public, max-age=3600'
  app.get('/robots.txt', async (_request, reply) =>
    reply.type('text/plain').header('cache-control', cache).send(robots),
  )
  app.get('/sitemap.xml', async (_request, reply) =>
    reply.type('application/xml').header('cache-control', cache).send(sitemap),
  )
}

/** GET /buy/:planId: a plan's payment page. The pricing page links here, so that it works without JavaScript. */
export function servePaymentLinks(app: FastifyInstance, { env }: { env: Pick<Env, 'payments'> }): void {
  app.get<{ Params: { planId: string } }>('/buy/:planId', (request, reply) => {
    const { planId } = request.params
    if (!isPlanId(planId)) return reply.callNotFound()
    // A plan without a payment link is bought on the billing page, signed in.
    return reply.header('cache-control', 'no-store').redirect(env.payments?.links[planId] ?? '/billing', 302)
  })
}
