import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** GET /api/docs: the API reference, with bundled scripts and styles. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  await app.register(fastifyStatic, {
    root,
    prefix: '/api/docs/assets/',
    decorateReply: false,
    serve: true,
    index: false,
    allowedPath: (path) => ['/swagger-ui.css', '/swagger-ui-bundle.js'].includes(path),
    immutable: true,
    maxAge: '1d',
  })
  app.get('/api/docs', async (_request, reply) =>
    reply.type('text/html').header('content-security-policy', POLICY).send(PAGE),
  )
  app.get('/api/docs/start.js', async (_request, reply) =>
    reply.type('text/javascript').header('cache-control', 'public, max-age=86400').send(START),
  )
}

/** Swagger UI sets style attributes and uses data: images as icons. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · X-Automated</title>
<meta name="description" content="Every X-Automated API operation, with its parameters and responses.">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/assets/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/api/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/api/docs/start.js" defer></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#reference', deepLinking: true, persistAuthorization: false, defaultModelsExpandDepth: 0 })
`
