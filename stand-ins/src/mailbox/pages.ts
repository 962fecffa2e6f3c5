import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Mail } from './smtp.ts'

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
// Emails are untrusted: they may contain styles, but no scripts, and may not make requests.
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

/** Serves the page to people and JSON to tests. */
export function addMailPages(app: FastifyInstance, box: { mails(): Mail[]; empty(): void }) {
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    return payload
  })

  const files = {
    '/': ['index.html', 'text/html'],
    '/page.css': ['page.css', 'text/css'],
    '/page.js': ['page.js', 'text/javascript'],
  }
  for (const [path, [file, type]] of Object.entries(files)) {
    const content = readFileSync(new URL(`page/${file}`, import.meta.url), 'utf8')
    app.get(path, (_request, reply) => {
      reply.type(`${type}; charset=utf-8`).header('content-security-policy', PAGE_POLICY).send(content)
    })
  }

  app.get<{ Querystring: { to?: string } }>('/messages', async (request) => {
    const { to } = request.query
    const mails = to === undefined ? box.mails() : box.mails().filter((mail) => isFor(mail, to))
    return mails.toReversed()
  })

  app.delete('/messages', async (_request, reply) => {
    box.empty()
    return reply.code(204).send()
  })

  /** The page's list, newest first, with an ETag. */
  app.get('/summaries', async (request, reply) => {
    const mails = box.mails()
    const version = `"${mails.length}-${mails.at(-1)?.id ?? 'empty'}"`
    reply.headers({ etag: version, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match'] === version) return reply.code(304).send()
    return mails
      .toReversed()
      .map(({ id, from, to, subject, text, at }) => ({ id, from, to, subject, start: text.slice(0, 120), at }))
  })

  app.get<{ Params: { id: string } }>('/messages/:id', async (request, reply) => {
    const mail = box.mails().find(({ id }) => id === request.params.id)
    return mail ?? reply.code(404).send({ error: 'Email not found' })
  })

  app.get<{ Params: { id: string } }>('/messages/:id/html', async (request, reply) => {
    const mail = box.mails().find(({ id }) => id === request.params.id)
    reply.type('text/html; charset=utf-8').header('content-security-policy', MAIL_POLICY)
    if (mail?.html == null) return reply.code(404).send('')
    return `<!doctype html><base target="_blank">${mail.html}`
  })
}

function isFor(mail: Mail, address: string): boolean {
  return mail.to.toLowerCase().split(', ').includes(address.trim().toLowerCase())
}
