import type { FastifyInstance } from 'fastify'

/** GET /robots.txt and /sitemap.xml. @param paths of indexable pages */
export function serveCrawlers(app: FastifyInstance, origin: string, paths: readonly string[]): void {
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
