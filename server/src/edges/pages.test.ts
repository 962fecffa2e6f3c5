import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { createApp } from '../app.ts'

/** Who may frame what, and who may load what: the join widget's page and script, and nothing else (docs/widget.md). */
let app: TestApp
let host: FastifyInstance
const built = mkdtempSync(join(tmpdir(), 'x-automated-pages-'))
beforeAll(async () => {
  const client = join(built, 'client')
  for (const [path, text] of Object.entries({
    'index.html': '<p>home</p>',
    'waitlist/index.html': '<p>waitlist</p>',
    'embed/index.html': '<script>1</script><p>widget</p>',
    '404/index.html': '<p>nothing</p>',
    '__spa-fallback.html': '<p>app</p>',
    'privacy.html': '<p>privacy: support@x-automated.example</p>',
    'terms.html': '<p>terms</p>',
    'embed.js': '0',
    'assets/page.js': '0',
  })) {
    mkdirSync(join(client, path, '..'), { recursive: true })
    writeFileSync(join(client, path), text)
  }
  writeFileSync(join(built, 'pages.json'), JSON.stringify({ app: ['/dashboard', '/operator'], notFound: '/404' }))
  app = await openApp()
  host = await createApp(app.services, { webFolder: client, extension: null })
})
afterAll(async () => {
  await host.close()
  rmSync(built, { recursive: true })
})

const get = (url: string, headers = {}) => host.inject({ method: 'GET', url, headers })

it('has no extension to hand out where none was built', async () => {
  expect((await get('/extension.zip')).json()).toMatchObject({ success: false, code: 'NOT_FOUND' })
})

it.each(['/', '/waitlist', '/dashboard', '/operator', '/embedded', '/embed/more', '/nothing', '/api/docs'])(
  '%s refuses to be framed, by both headers that browsers know',
  async (path) => {
    const { headers } = await get(path)
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
  },
)

it.each(['/embed', '/embed?ref=Ab3dE9xy&theme=dark', '/embed/'])('%s may be framed by anybody', async (path) => {
  const { statusCode, headers, body } = await get(path)
  expect([statusCode, body]).toEqual([200, expect.stringContaining('widget')])
  expect(headers['content-security-policy']).toContain('frame-ancestors *')
  expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+';/)
  expect(headers['x-frame-options']).toBeUndefined()
  expect(headers['set-cookie']).toBeUndefined()
})

it.each(['/privacy', '/terms', '/terms/'])('%s leads the browser to the document', async (path) => {
  const { statusCode, headers } = await get(path)
  const target = `${path.replace(/\/$/, '')}.html`
  expect([statusCode, headers.location]).toEqual([302, target])
  expect((await get(target)).statusCode).toBe(200)
})

it('names the address that people write to', async () => {
  expect((await get('/privacy.html')).body).toContain(`privacy: ${app.services.env.supportEmail}<`)
  expect(app.services.env.supportEmail).not.toBe('support@x-automated.example')
})

it('/embed.js may be loaded from anywhere, other files from here alone', async () => {
  const script = await get('/embed.js')
  expect(script.statusCode).toBe(200)
  expect(script.headers['content-type']).toMatch(/javascript/)
  expect(script.headers['cross-origin-resource-policy']).toBe('cross-origin')
  expect((await get('/assets/page.js')).headers['cross-origin-resource-policy']).toBe('same-origin')
})

describe('the API lets no other origin read it: the widget asks from its own', () => {
  const origin = 'https://blog.example'
  it.each([
    ['OPTIONS', '/api/waitlist/join'],
    ['POST', '/api/waitlist/join'],
    ['GET', '/api/waitlist/count'],
    ['GET', '/embed'],
  ] as const)('%s %s', async (method, url) => {
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const { headers } = await host.inject({ method, url, headers: asked })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})
