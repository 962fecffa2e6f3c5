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

/** Allows what Swagger UI needs: style attributes, and data: images as icons. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Keeps wide operations in their frames, and darkens colors of the light theme that are too pale to read. */
const STYLE = `
.swagger-ui .opblock-body { overflow-x: auto }
html:not(.dark-mode) .swagger-ui {
  .info .title small { background: #565c69 }
  .info .title small.version-stamp { background: #4a6900 }
  .info .base-url, .info .url, .info a { color: #1f5fa8 }
  .btn.authorize { border-color: #137547; color: #137547 }
  .btn.authorize svg { fill: #137547 }
  .opblock-post .opblock-summary-method { background: #137547 }
  .opblock-get .opblock-summary-method { background: #1f5fa8 }
  .opblock-put .opblock-summary-method { background: #8f5200 }
  .opblock-patch .opblock-summary-method { background: #0f6b58 }
  .opblock-delete .opblock-summary-method { background: #b3261e }
}
`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · X-Automated</title>
<meta name="description" content="Every X-Automated API operation, with its parameters and responses.">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/assets/swagger-ui.css">
<style>${STYLE}</style>
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/api/docs/start.js" defer></script>
</body>
</html>
`

/**
 * Makes Swagger UI accessible: links inside its buttons become text, its headings and landmarks get
 * the missing attributes, and its dark theme follows the system's.
 */
const START = `const repair = () => {
  const set = (selector, attributes) => {
    for (const element of document.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  }
  set('.opblock-tag', { 'aria-level': '2' })
  set('.opblock-body h4', { 'aria-level': '3' })
  set('.opblock-body h5', { 'aria-level': '4' })
  set('#servers', { 'aria-label': 'Server' })
  set('.information-container', { role: 'banner' })
  set('.schemes-server-container', { role: 'region', 'aria-label': 'Server and authorization' })
}
new MutationObserver(repair).observe(document.getElementById('reference'), { childList: true, subtree: true })

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const withoutNestedLinks = ({ React }) => ({
  wrapComponents: { DeepLink: () => ({ text }) => React.createElement('span', null, text) },
})
SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#reference', deepLinking: true, persistAuthorization: false, defaultModelsExpandDepth: 0, plugins: [withoutNestedLinks] })
`
