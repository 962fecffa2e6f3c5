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
}

/**
 * Serves the built web app: prerendered pages as they are, every other path of the app with the fallback page, anything else with the 404 page.
 * @param folder web/build/client
 */
export async function servePages(app: FastifyInstance, folder: string): Promise<void> {
  const pages = existsSync(folder) ? readPages(folder) : new Map<string, Page>()
  const fallback = pages.get('/__spa-fallback')
  const appPaths = readAppPaths(folder)

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
      },
    })
  }

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads || path.startsWith('/api/') || path === '/api') return sendRefusal(reply, new Refusal('NOT_FOUND'))
    const page = pages.get(path === '/' ? path : path.replace(/\/$/, ''))
    if (page) return sendPage(reply, page, 200)
    const known = appPaths.some((pattern) => pattern.test(path))
    if (fallback) return sendPage(reply, fallback, known ? 200 : 404)
    return sendRefusal(reply, new Refusal('NOT_FOUND', 'The web app is not built.'))
  })
}

function sendPage(reply: FastifyReply, page: Page, status: number): FastifyReply {
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', page.policy)
    .send(page.html)
}

/** Every HTML file of the build by its path, with a policy that allows exactly its own inline scripts. */
function readPages(folder: string): Map<string, Page> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  return new Map(
    files.map((file) => {
      const html = readFileSync(join(folder, file), 'utf8')
      const path = `/${file
        .replaceAll('\\', '/')
        .replace(/(^|\/)index\.html$/, '')
        .replace(/\.html$/, '')}`
      return [path, { html, policy: policyFor(html) }]
    }),
  )
}

/** Paths of the app that are not prerendered; the build writes them beside its files. A path outside of them is the 404 page, with status 404. */
function readAppPaths(folder: string): RegExp[] {
  const file = join(folder, '..', 'app-paths.json')
  if (!existsSync(file)) return []
  const paths = JSON.parse(readFileSync(file, 'utf8')) as string[]
  return paths.map(
    (path) => new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}/?$`),
  )
}

/** A prerendered page can carry no nonce, so its inline scripts are allowed by their hashes. */
function policyFor(html: string): string {
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
    "img-src 'self' data: https://pbs.twimg.com",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
