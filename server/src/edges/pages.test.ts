import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { insertMember } from '../../test/waitlist.ts'
import { createApp } from '../app.ts'

// Tests how the built web app is served: framing and policies (docs/widget.md), metadata,
// compression and caching.

let app: TestApp
let host: FastifyInstance
const built = mkdtempSync(join(tmpdir(), 'x-automated-pages-'))
beforeAll(async () => {
  // The product may be installed in a folder of any name.
  const client = join(built, 'assets', 'client')
  for (const [path, text] of Object.entries({
    'index.html':
      '<head><meta property="og:title" content="Home"/><meta property="og:description" content="What it does."/></head>' +
      '<a href="https://share.example?url=https%3A%2F%2Fx-automated.example%2F">share</a>',
    'waitlist/index.html': '<head></head><p>waitlist</p>',
    'reset-password/index.html': '<head></head><p>reset</p>',
    'auth/index.html': '<html lang="en"><head></head><p>sign up</p>',
    'rankings/index.html': '<head><style>p{margin:0}</style></head>',
    'leaderboard/index.html': `<head></head>${'<p>words</p>'.repeat(200)}`,
    'embed/index.html': '<script>1</script><p>widget</p>',
    'r/token/index.html': '<head></head><script>1</script><p>report</p>',
    '404/index.html': '<head></head><p>nothing</p>',
    '__spa-fallback.html': '<head><title>X-Automated</title></head><p>app</p>',
    'privacy.html': '<p>privacy: support@x-automated.example</p>',
    'terms.html': '<html lang="en"><p>terms</p>',
    'embed.js': '0',
    'assets/page.js': '0',
    'assets/page.js.br': 'as brotli',
    'assets/page.js.gz': 'as gzip',
    'embed.js.br': 'as brotli',
    'manifest.webmanifest': '{}',
  })) {
    mkdirSync(join(client, path, '..'), { recursive: true })
    writeFileSync(join(client, path), text)
  }
  const list = {
    app: {
      '/dashboard': 'Dashboard · X-Automated',
      '/billing': 'Billing & Subscription · X-Automated',
      '/operator': 'Page not found · X-Automated',
      '/campaigns/:campaignId': 'Campaign · X-Automated',
    },
    notFound: '/404',
    secret: { '/r/token': '/r/:token' },
    findable: ['/', '/waitlist', '/leaderboard', '/privacy.html', '/terms.html'],
  }
  writeFileSync(join(client, '..', 'pages.json'), JSON.stringify(list))
  app = await openApp()
  await insertMember(app, { email: 'ada@example.com', referralCode: 'Ab3dE9xy' })
  host = await createApp(app.services, { webFolder: client, extension: null })
})
afterAll(async () => {
  await host.close()
  rmSync(built, { recursive: true })
})

const get = (url: string, headers = {}, remoteAddress = '127.0.0.1') =>
  host.inject({ method: 'GET', url, headers, remoteAddress })

it.each([
  ['/dashboard', 'Dashboard · X-Automated'],
  ['/campaigns/7', 'Campaign · X-Automated'],
  ['/billing', 'Billing &amp; Subscription · X-Automated'],
])('%s has its own title before any script runs', async (path, title) => {
  expect((await get(path)).body).toContain(`<title>${title}</title>`)
})

it('returns 404 for the extension if it is not built', async () => {
  expect((await get('/extension.zip')).json()).toMatchObject({ success: false, code: 'NOT_FOUND' })
})

it.each(['/', '/waitlist', '/dashboard', '/operator', '/embedded', '/embed/more', '/nothing', '/api/docs'])(
  '%s forbids framing with both headers',
  async (path) => {
    const { headers } = await get(path)
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
  },
)

it.each(['/embed', '/embed?ref=Ab3dE9xy&theme=dark', '/embed/'])('%s can be framed by any site', async (path) => {
  const { statusCode, headers, body } = await get(path)
  expect([statusCode, body]).toEqual([200, expect.stringContaining('widget')])
  expect(headers['content-security-policy']).toContain('frame-ancestors *')
  expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+';/)
  expect(headers['x-frame-options']).toBeUndefined()
  expect(headers['set-cookie']).toBeUndefined()
})

it.each(['/privacy', '/terms', '/terms/'])('%s redirects to the document', async (path) => {
  const { statusCode, headers } = await get(path)
  const target = `${path.replace(/\/$/, '')}.html`
  expect([statusCode, headers.location]).toEqual([302, target])
  expect((await get(target)).statusCode).toBe(200)
})

describe('a form posted without JavaScript', () => {
  const native = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8' }
  const post = (url: string, payload = 'email=a%40b.example&password=secret+words', headers: object = native) =>
    host.inject({ method: 'POST', url, payload, headers: { ...headers } })

  it.each([
    '/',
    '/waitlist',
    '/waitlist/',
    '/waitlist?ref=Ab3dE9xy',
    '/dashboard',
    '/campaigns/7?tab=dms',
    '/embed',
    '/terms.html',
  ])('redirects back to its page: %s', async (path) => {
    const { statusCode, headers, body } = await post(path)
    expect([statusCode, headers.location, body]).toEqual([303, path, ''])
    expect(headers['set-cookie']).toBeUndefined()
    expect((await get(path)).statusCode).toBe(200)
  })

  it.each([
    ['a password in it', 'password=a', native],
    ['more than any body may be', `email=${'x'.repeat(300 * 1024)}`, native],
    ['what cannot be read', '{"', { ...native, 'content-type': 'application/json' }],
    ['a file', '--x--', { ...native, 'content-type': 'multipart/form-data; boundary=x' }],
    ['nothing that a page is taken for', '', { accept: '*/*' }],
  ])('redirects for any content: %s', async (_, payload, headers) => {
    const { statusCode, headers: responseHeaders } = await post('/waitlist', payload, headers)
    expect([statusCode, responseHeaders.location]).toEqual([303, '/waitlist'])
  })

  it('redirects to this server regardless of the requested host', async () => {
    const { port } = new URL(await host.listen({ host: '127.0.0.1', port: 0 }))
    const pending = request({ port, method: 'POST', path: 'http://evil.example/waitlist?a=1', headers: native }).end()
    const [response] = (await once(pending, 'response')) as [IncomingMessage]
    response.resume()
    expect([response.statusCode, response.headers.location]).toEqual([303, '/waitlist?a=1'])
  })

  it('shows the 404 page for unknown paths', async () => {
    const { statusCode, headers, body } = await post('/nothing')
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('nothing')
  })

  it.each([
    ['/api/nothing', { accept: native.accept }],
    ['/api', native],
    ['/nothing', { ...native, accept: 'application/json' }],
  ])('returns the error envelope for API clients: %s', async (path, headers) => {
    const response = await post(path, '', headers)
    expect([response.statusCode, response.json().code]).toEqual([404, 'NOT_FOUND'])
  })
})

describe("a URL that only the app's router would accept", () => {
  it.each([
    ['/Waitlist?ref=ABC234', '/waitlist?ref=ABC234'],
    ['//waitlist?ref=ABC234', '/waitlist?ref=ABC234'],
    ['/Dashboard/', '/dashboard/'],
    ['///evil.example/', '/evil.example/'],
    ['//\\\\evil.example', '/evil.example'],
  ])('redirects to the intended page on our own origin: %s', async (requested, path) => {
    const { statusCode, headers } = await get(requested)
    expect([statusCode, headers.location]).toEqual([302, path])
  })
})

describe('a malformed URL', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'br' }
  const guards = ['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy']

  it.each(['/%E0%A4%A', '/campaigns/%ff', `/campaigns/${'x'.repeat(301)}`])(
    'shows browsers the 404 page: %s',
    async (path) => {
      const [response, nowhere] = await Promise.all([get(path, browser), get('/nothing', browser)])
      expect([response.statusCode, response.rawPayload]).toEqual([404, nowhere.rawPayload])
      for (const name of ['content-type', 'content-encoding', 'cache-control', ...guards])
        expect([name, response.headers[name]]).toEqual([name, nowhere.headers[name]])
      expect(response.headers['x-request-id']).toBeTruthy()
    },
  )

  it.each([
    ['/api/%E0%A4%A', browser],
    ['/%E0%A4%A', { accept: 'application/json' }],
    ['/%E0%A4%A', {}],
  ])('returns the error envelope to API clients: %s, %j', async (path, headers) => {
    const response = await get(path, headers)
    expect([response.statusCode, response.json().code]).toEqual([400, 'INVALID_INPUT'])
    for (const name of guards) expect([name, typeof response.headers[name]]).toEqual([name, 'string'])
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('a page whose URL is a secret', () => {
  const path = '/r/Ab3dE9xy-secret_token'

  it.each([path, `${path}/`, `${path}?ref=Ab3dE9xy`])(
    'is neither cached nor indexed, and sends no referrer: %s',
    async (url) => {
      const { statusCode, headers, body } = await get(url)
      expect([statusCode, body]).toEqual([200, expect.stringContaining('report')])
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'x-frame-options': 'DENY',
      })
      expect(body).toContain('<meta name="robots" content="noindex"/>')
      const { headers: usual } = await get('/reset-password')
      const withoutScripts = (policy: unknown) => String(policy).replaceAll(/ 'sha256-[^']+'/g, '')
      expect(withoutScripts(headers['content-security-policy'])).toBe(withoutScripts(usual['content-security-policy']))
    },
  )

  it('is in no sitemap, and answers no other path', async () => {
    expect((await get('/sitemap.xml')).body).not.toContain('/r/')
    for (const url of ['/r', '/r/', `${path}/more`]) expect((await get(url)).statusCode).toBe(404)
  })

  it('leaves the token out of the log, whatever happens', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const logged = await createApp(
      { ...app.services, log },
      { webFolder: join(built, 'assets', 'client'), extension: null },
    )
    onTestFinished(() => logged.close())
    const token = path.slice('/r/'.length)
    const find = (payload: object | string) =>
      logged.inject({
        method: 'POST',
        url: '/api/reports/find',
        payload,
        headers: { 'content-type': 'application/json' },
      })
    for (const url of [path, `${path}/more`, `${path}%ff`, `/R/${token}`]) await logged.inject({ method: 'GET', url })
    await logged.inject({ method: 'POST', url: path, payload: 'a=1' })
    await find({ token })
    await find({ token, more: 1 })
    await find(`{"token":"${token}`)
    expect(lines.some((line) => line.includes('reports.find'))).toBe(true)
    expect(lines.join('')).not.toContain(token)
  })
})

it('fills in the support address', async () => {
  expect((await get('/privacy.html')).body).toContain(`privacy: ${app.services.env.supportEmail}<`)
  expect(app.services.env.supportEmail).not.toBe('support@x-automated.example')
})

it('marks pages if Google sign-in is unavailable', async () => {
  expect((await get('/terms.html')).body).toContain('<html data-without="google" lang="en">')
})

it('allows other sites to load /embed.js but no other file', async () => {
  const script = await get('/embed.js')
  expect(script.statusCode).toBe(200)
  expect(script.headers['content-type']).toMatch(/javascript/)
  expect(script.headers['cross-origin-resource-policy']).toBe('cross-origin')
  expect((await get('/assets/page.js')).headers['cross-origin-resource-policy']).toBe('same-origin')
})

describe('page metadata', () => {
  const origin = () => app.services.origin
  const contentOf = (body: string, name: string) =>
    body.match(new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"/>`))?.[1]

  it('contains the canonical URL and the preview picture without an invitation', async () => {
    const { body } = await get('/?utm=1')
    expect(body).toContain(`<link rel="canonical" href="${origin()}/"/>`)
    expect(contentOf(body, 'og:url')).toBe(`${origin()}/`)
    expect(contentOf(body, 'og:image')).toBe(`${origin()}/share.png`)
    expect(contentOf(body, 'og:title')).toBe('Home')
    expect(contentOf(body, 'twitter:card')).toBe('summary_large_image')
    expect(contentOf(body, 'robots')).toBeUndefined()
    expect(body).toContain(`share.example?url=${encodeURIComponent(`${origin()}/`)}`)
  })

  it.each([
    ['/', '/'],
    ['/waitlist', '/waitlist'],
    ['/waitlist/', '/waitlist'],
  ])('%s opened by a referral link has an invitation with its own picture', async (path, bare) => {
    const { body, headers } = await get(`${path}?ref=Ab3dE9xy`)
    expect(contentOf(body, 'og:image')).toBe(`${origin()}/share/Ab3dE9xy.png`)
    expect(contentOf(body, 'og:url')).toBe(`${origin()}${bare}?ref=Ab3dE9xy`)
    expect(body).toContain(`<link rel="canonical" href="${origin()}${bare}"/>`)
    expect(headers['content-security-policy']).toBe((await get(path)).headers['content-security-policy'])
    if (bare === '/') {
      expect(contentOf(body, 'og:title')).toBe("You're invited to X-Automated")
      expect(contentOf(body, 'og:description')).toBe(
        'Join with this link, and you both get priority access, from the next release on.',
      )
    }
  })

  it.each(['/auth', '/auth/'])('%s opened by a referral link is marked with the code', async (path) => {
    const { body } = await get(`${path}?ref=Ab3dE9xy`)
    expect(body).toContain('data-referrer="Ab3dE9xy"')
    expect(contentOf(body, 'robots')).toBe('noindex')
  })

  it.each(['/', '/waitlist', '/auth'])('%s ignores unknown codes', async (path) => {
    expect((await get(`${path}?ref=Zz9zzzzz`, {}, '192.0.2.1')).body).toBe((await get(path)).body)
  })

  it('hides known codes from clients that looked up too many', async () => {
    const client = '192.0.2.2'
    const isAnnounced = async (code: string) =>
      (await get(`/auth?ref=${code}`, {}, client)).body.includes('data-referrer')
    for (let visit = 0; visit < 25; visit++) expect(await isAnnounced('Ab3dE9xy')).toBe(true)
    for (let guess = 0; guess < 20; guess++) expect(await isAnnounced(`Guess${guess}`)).toBe(false)
    expect(await isAnnounced('Ab3dE9xy')).toBe(false)
    expect((await get('/auth?ref=Ab3dE9xy', {}, '192.0.2.3')).body).toContain('data-referrer')
  })

  it('has no invitation on documents', async () => {
    expect((await get('/privacy.html?ref=Ab3dE9xy')).body).toBe((await get('/privacy.html')).body)
  })

  it.each(['', '"><script>', 'a b', 'x'.repeat(33), 'Ab3dE9xy&ref=QW3RTY'])(
    'ignores the malformed code %s',
    async (ref) => {
      expect((await get(`/?ref=${ref}`)).body).toBe((await get('/')).body)
    },
  )

  it.each(['/dashboard', '/reset-password', '/nothing'])('%s is not indexed', async (path) => {
    const { body } = await get(path)
    expect(contentOf(body, 'robots')).toBe('noindex')
    expect(body).not.toContain('canonical')
  })

  it('lists pages and documents for search engines', async () => {
    const sitemap = await get('/sitemap.xml')
    expect(sitemap.headers['content-type']).toMatch('application/xml')
    expect([...sitemap.body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url)).toEqual(
      ['/', '/waitlist', '/leaderboard', '/privacy.html', '/terms.html'].map((path) => origin() + path),
    )
    const robots = await get('/robots.txt')
    expect(robots.headers['content-type']).toMatch('text/plain')
    expect(robots.body).toContain(`Sitemap: ${origin()}/sitemap.xml`)
  })
})

describe('compression and caching', () => {
  it.each([
    ['br, gzip', 'br', 'as brotli'],
    ['gzip', 'gzip', 'as gzip'],
    ['identity', undefined, '0'],
  ])('serves prebuilt files for %s', async (accepted, encoding, body) => {
    const response = await get('/assets/page.js', { 'accept-encoding': accepted })
    expect([response.headers['content-encoding'], response.body]).toEqual([encoding, body])
    expect(response.headers['content-type']).toMatch('javascript')
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(response.headers.vary).toMatch(/accept-encoding/i)
  })

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('compresses pages for %j', async (accepted, encoding) => {
    for (const path of ['/leaderboard', '/leaderboard?ref=Ab3dE9xy', '/leaderboard']) {
      const { headers, rawPayload } = await get(path, { 'accept-encoding': accepted })
      expect([path, headers['content-encoding']]).toEqual([path, encoding])
      expect(rawPayload.length < 1_000).toBe(encoding !== undefined)
      expect(headers.vary).toBe('accept-encoding')
    }
  })

  it('returns 304 for a known page in any encoding', async () => {
    const { headers } = await get('/leaderboard', { 'accept-encoding': 'br' })
    expect(headers['cache-control']).toBe('no-cache')
    for (const encoding of ['br', 'identity']) {
      const requestHeaders = { 'if-none-match': headers.etag, 'accept-encoding': encoding }
      const again = await get('/leaderboard', requestHeaders)
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
      expect(again.headers['content-security-policy']).toBe(headers['content-security-policy'])
      expect((await get('/waitlist', requestHeaders)).statusCode).toBe(200)
    }
    const missing = await get('/nothing')
    expect(missing.headers.etag).toBeUndefined()
  })

  it('lets clients revalidate files without a hash in their name', async () => {
    expect((await get('/manifest.webmanifest')).headers['cache-control']).toBe('public, max-age=3600')
    expect((await get('/embed.js')).headers['cache-control']).toBe('public, max-age=3600')
  })

  it("allows only the page's own inline style, by hash", async () => {
    const style = createHash('sha256').update('p{margin:0}').digest('base64')
    const { headers } = await get('/rankings')
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${style}';`)
    expect((await get('/')).headers['content-security-policy']).toContain("style-src 'self';")
  })

  it('serves compressed files only under the original path, with its headers', async () => {
    expect((await get('/assets/page.js.br')).statusCode).toBe(404)
    const script = await get('/embed.js', { 'accept-encoding': 'br' })
    expect([script.body, script.headers['cross-origin-resource-policy']]).toEqual(['as brotli', 'cross-origin'])
    expect((await get('/manifest.webmanifest')).headers['content-type']).toMatch('application/manifest+json')
  })
})

describe('CORS', () => {
  const origin = 'https://blog.example'
  it.each([
    ['OPTIONS', '/api/waitlist/join'],
    ['POST', '/api/waitlist/join'],
    ['GET', '/api/waitlist/count'],
    ['GET', '/embed'],
  ] as const)('%s %s', async (method, url) => {
    const requestHeaders = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const { headers } = await host.inject({ method, url, headers: requestHeaders })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})
