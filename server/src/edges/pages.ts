import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Refusal } from '../refusal.ts'
import { compressedOnce, type SendText } from './compressed.ts'
import { serveCrawlers } from './crawlers.ts'
import { sendRefusal } from './envelope.ts'
import { type Address, isPlausibleCode, withAddress, withHead, withoutIndex, withReferrer } from './page-head.ts'

interface Page {
  send: SendText
  policy: string
  isFramed: boolean
  /** The page as a friend's link shows it; null for documents, for the widget and for what signed-in pages start from. */
  invitation: ((code: string) => string) | null
}

/** What every signed-in page begins from. */
const FALLBACK_FILE = '__spa-fallback.html'

/** The join widget: the one page that others may frame, and the script by which they do (docs/widget.md). */
const WIDGET_PAGE = '/embed'
const WIDGET_SCRIPT = 'embed.js'

/** Static documents: their bare paths lead the browser to them (specification §2). */
const DOCUMENTS = ['/privacy', '/terms']

export interface PagesOptions extends Address {
  /** web/build/client */
  folder: string
  /** Where pictures of people on X come from, beside X's own host; null: from nowhere else. */
  pictures: string | null
  /** Does a member have this referral code? */
  knowsCode(request: FastifyRequest, code: string): Promise<boolean>
}

/** Answers with the 404 page who is led to an address that is none; false where it is the API that was asked, or no page was built. */
export type ShowNotFound = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Serves the built web app: prerendered pages as they are, every other path of the app with the fallback page, anything else with the 404 page.
 * @returns for addresses that reach no route
 */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<ShowNotFound> {
  const { folder } = options
  const list = readPageList(folder)
  const pages = existsSync(folder) ? readPages(options, list) : new Map<string, Page>()
  const fallback = pages.get('/__spa-fallback')
  const notFound = pages.get(list.notFound)
  serveCrawlers(app, options.origin, findable(list))

  if (existsSync(folder)) {
    await app.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      // HTML goes out with its own policy, below; what the build compressed, in place of its original.
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
    if (page === fallback || page === notFound) continue
    serve(app, path, async (request, reply) => {
      const { ref } = request.query as { ref?: unknown }
      if (!page.invitation || !isPlausibleCode(ref) || !(await options.knowsCode(request, ref)))
        return sendPage(reply, page, 200)
      const html = page.invitation(ref)
      return sendPage(reply, { ...page, send: async (own) => own.header('vary', 'accept-encoding').send(html) }, 200)
    })
  }
  for (const path of DOCUMENTS)
    if (pages.has(`${path}.html`)) serve(app, path, (_request, reply) => reply.redirect(`${path}.html`, 302))
  if (fallback) for (const path of list.app) serve(app, path, (_request, reply) => sendPage(reply, fallback, 200))

  const paths = [...pages.keys(), ...DOCUMENTS, ...list.app]
  const known = new RegExp(`^(${paths.map((path) => path.replace(/:[^/]+/g, '[^/]+')).join('|')})/?$`)
  const isPage = (path: string) => known.test(path)
  app.setNotFoundHandler((request, reply) => {
    const reads = request.method === 'GET' || request.method === 'HEAD'
    const isAsked = reads || (request.method === 'POST' && takesPages(request))
    if (!isAsked || isOfApi(request.url)) return sendRefusal(reply, new Refusal('NOT_FOUND'))
    const meant = reads ? addressMeant(request.url, isPage) : null
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
 * Where an address leads that reads as a page of ours to the app, which knows no capital letters and takes what follows two slashes
 * for a host, but not to this server: the app would show another page than what was sent.
 * @param url path and query
 * @returns path and query, or null
 */
function addressMeant(url: string, isPage: (path: string) => boolean): string | null {
  const [, path = '', query = ''] = url.match(/^([^?]*)(.*)$/s) ?? []
  const single = path.replace(/^\/[/\\]+/, '/')
  const lower = single.toLowerCase()
  const meant = isPage(lower) ? lower : single
  return meant === path ? null : meant + query
}

function isOfApi(url: string): boolean {
  return /^\/api(?![^/?])/.test(url)
}

/** Is it a browser that would show what it gets? */
function takesPages({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false
}

/** Answers a path of the app, with a slash at its end and without. */
function serve(app: FastifyInstance, path: string, answer: RouteHandlerMethod): void {
  for (const url of path === '/' ? [path] : [path, `${path}/`]) {
    app.get(url, answer)
    app.post(url, { onRequest: backToThePage }, () => {})
  }
}

/**
 * A form that a browser sends itself, as no script runs: it is led back to its page, which says that it needs one. What was sent is
 * not even read, whatever it is and however large.
 */
async function backToThePage({ url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // Whole addresses are asked for by proxies, which may name any host.
  const { pathname, search } = new URL(url, 'http://here')
  return reply.redirect(pathname + search, 303)
}

function sendPage(reply: FastifyReply, page: Page, status: number): Promise<FastifyReply> {
  if (page.isFramed) {
    // Set for every answer, before it is known which page it is.
    reply.raw.removeHeader('x-frame-options')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
  reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', page.policy)
  return page.send(reply)
}

/** Every HTML file of the build by its path, with a policy that allows exactly its own inline scripts. */
function readPages({ folder, pictures, ...address }: PagesOptions, list: PageList): Map<string, Page> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  const found = findable(list)
  return new Map(
    files.map((file): [string, Page] => {
      const built = withAddress(readFileSync(join(folder, file), 'utf8'), address)
      const bare = `/${file
        .replaceAll('\\', '/')
        .replace(/(^|\/)index\.html$/, '')
        .replace(/\.html$/, '')}`
      const path = DOCUMENTS.includes(bare) ? `${bare}.html` : bare
      const isFramed = path === WIDGET_PAGE
      const policy = policyFor(built, isFramed ? '*' : "'none'", pictures)
      const { origin } = address
      const url = origin + path
      const isDocument = DOCUMENTS.includes(bare)
      if (found.includes(path)) {
        const invitation = (code: string) => withReferrer(withHead(built, url, origin, code), code)
        const send = compressedOnce(withHead(built, url, origin))
        return [path, { send, policy, isFramed, invitation: isDocument ? null : invitation }]
      }
      // The pages that show leads read there what the policy allows.
      const shown =
        pictures && file === FALLBACK_FILE
          ? built.replace('<head>', `<head><meta name="pictures" content="${pictures}"/>`)
          : built
      const unlisted = withoutIndex(shown)
      const isForGuests = !isFramed && !isDocument && file !== FALLBACK_FILE
      const invitation = isForGuests ? (code: string) => withReferrer(unlisted, code) : null
      return [path, { send: compressedOnce(unlisted), policy, isFramed, invitation }]
    }),
  )
}

/** The paths that search engines are told of. */
function findable(list: PageList): string[] {
  return [...list.findable, ...DOCUMENTS.map((path) => `${path}.html`)]
}

/** What the build says of its pages (build/pages.json): which paths the fallback page serves, and the not-found page. */
interface PageList {
  /** As Fastify takes them: `/campaigns/:campaignId`. */
  app: string[]
  notFound: string
  /** Prerendered pages that are there to be found. */
  findable: string[]
}

function readPageList(folder: string): PageList {
  const file = join(folder, '..', 'pages.json')
  const none = { app: [], notFound: '/404', findable: [] }
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PageList) : none
}

/**
 * A prerendered page can carry no nonce, so its inline scripts and styles are allowed by their hashes.
 * @param framedBy who may show the page in a frame
 */
function policyFor(html: string, framedBy: "'none'" | '*', pictures: string | null): string {
  const scripts = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)
  const styles = html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)
  return [
    "default-src 'self'",
    ["script-src 'self'", ...hashesOf(scripts)].join(' '),
    ["style-src 'self'", ...hashesOf(styles)].join(' '),
    `img-src 'self' data: https://pbs.twimg.com${pictures ? ` ${pictures}` : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')
}

function hashesOf(inline: Iterable<RegExpMatchArray>): Set<string> {
  const words = [...inline].map(([, text]) => text ?? '')
  return new Set(words.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`))
}
