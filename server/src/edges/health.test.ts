import { RELEASE } from '@x-automated/contract/platform/early-features'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
const get = (path: string, headers: Record<string, string> = {}) => fetch(app.origin + path, { headers })

describe('GET /healthz and /readyz', () => {
  it('return 200 with the version and the state of each dependency', async () => {
    const healthy = await get('/healthz')
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'ok', version: RELEASE }])
    const ready = await get('/readyz')
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ok', dependencies: { database: 'ok', server: 'ok' } },
    ])
  })

  it('return 503 for /readyz if the database is down', async () => {
    const lonely = await openApp()
    await lonely.services.database.for('signIn').pool.end()
    const response = await fetch(`${lonely.origin}/readyz`)
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        success: false,
        code: 'NOT_READY',
        error: "The service isn't ready.",
        dependencies: { database: 'down', server: 'ok' },
      },
    ])
    expect((await fetch(`${lonely.origin}/healthz`)).status).toBe(200)
  })
})

describe('GET /metrics', () => {
  it('returns Prometheus text to local clients', async () => {
    const response = await get('/metrics')
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/^http_request_duration_seconds_count\{.*route="\/healthz".*\} \d+$/m)
  })

  it.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'])(
    'returns 404 to proxied requests (%s)',
    async (header) => {
      expect((await get('/metrics', { [header]: '127.0.0.1' })).status).toBe(404)
    },
  )

  it('requires the token if one is set', async () => {
    const guarded = await openApp({ env: { METRICS_TOKEN: 'a long token' } })
    const fetchIt = (headers: Record<string, string>) => fetch(`${guarded.origin}/metrics`, { headers })
    expect((await fetchIt({})).status).toBe(404)
    expect((await fetchIt({ authorization: 'Bearer a wrong one' })).status).toBe(404)
    expect((await fetchIt({ authorization: 'Bearer a long token', 'x-forwarded-for': '10.0.0.1' })).status).toBe(200)
  })
})
