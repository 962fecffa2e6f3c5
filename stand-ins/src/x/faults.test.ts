import { describe, expect, test, vi } from 'vitest'
import { openX } from '../../test/open-x.ts'

const SEND = '/2/dm_conversations/with/*/messages'

async function sender() {
  const x = await openX()
  const me = await x.signIn('sender')
  const id = await me.idOf('open_a')
  return { ...x, ...me, hello: () => me.send(id, 'Hello'), id }
}

describe('PUT /_faults', () => {
  test('responds with a status and X’s body `times` times, without effect', async () => {
    const x = await sender()
    await x.faults([{ path: SEND, status: 503, times: 2 }])
    for (let n = 0; n < 2; n++)
      expect(await x.hello()).toMatchObject({ status: 503, body: { title: 'Service Unavailable' } })
    expect((await x.hello()).status).toBe(201)
    expect(await x.log()).toHaveLength(1)
    expect((await x.call('/_faults')).body).toEqual([])
  })

  test('returns the reset of a 429 and the code of a coded error', async () => {
    const x = await sender()
    await x.faults([
      { path: SEND, status: 429, resetSeconds: 5, times: 1 },
      { path: SEND, status: 403, code: 226, times: 1 },
    ])
    const limited = await x.hello()
    expect(limited.status).toBe(429)
    expect(limited.headers.get('x-rate-limit-remaining')).toBe('0')
    expect(Number(limited.headers.get('x-rate-limit-reset')) - Date.now() / 1000).toBeLessThanOrEqual(6)
    expect(await x.hello()).toMatchObject({
      status: 403,
      body: { code: 226, message: expect.stringContaining('automated') },
    })
  })

  test('returns X’s errors by name, with another status if one is given', async () => {
    const x = await sender()
    const expected = {
      credits: [402, 'CreditsDepleted'],
      'spend-cap': [403, 'SpendCapReached'],
      'usage-capped': [429, 'UsageCapExceeded'],
      premium: [403, 'Forbidden'],
      encrypted: [403, 'Forbidden'],
      'not-permitted': [403, 'Forbidden'],
      'no-permission': [403, 'Forbidden'],
    }
    for (const [problem, [status, title]] of Object.entries(expected)) {
      await x.faults([{ path: SEND, problem, times: 1 }])
      const response = await x.hello()
      expect(response, problem).toMatchObject({ status, body: { status, title, detail: expect.any(String) } })
      expect(response.headers.get('content-type')).toContain('application/problem+json')
    }
    await x.faults([{ path: SEND, problem: 'cloudflare', status: 520, times: 1 }])
    const page = await x.hello()
    expect(page).toMatchObject({ status: 520, body: expect.stringContaining('<html') })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await x.log()).toEqual([])
    expect((await x.faults([{ path: '/', problem: 'unheard-of' }])).status).toBe(400)
  })

  test('returns any body, with more headers, also with a status below 400', async () => {
    const x = await sender()
    const errors = [{ code: 151, message: 'You already said that.' }]
    await x.faults([
      { path: SEND, status: 403, body: { errors }, headers: { 'x-trace': 'abc' }, times: 1 },
      { path: SEND, status: 200, body: {}, times: 1 },
      { path: SEND, headers: { 'x-user-limit-24hour-remaining': '0' }, times: 1 },
    ])
    const refused = await x.hello()
    expect(refused).toMatchObject({ status: 403, body: { errors } })
    expect(refused.headers.get('x-trace')).toBe('abc')
    expect(await x.hello()).toMatchObject({ status: 200, body: {} })
    const sent = await x.hello()
    expect(sent.status).toBe(201)
    expect(sent.headers.get('x-user-limit-24hour-remaining')).toBe('0')
    expect(await x.log()).toHaveLength(1)
  })

  test('puts the reset of 24 hours into its own headers, and lets a reset lie in the past', async () => {
    const x = await sender()
    await x.faults([
      { path: SEND, status: 429, dayLimitOf: 'app', resetSeconds: 7200, times: 1 },
      { path: SEND, status: 429, resetSeconds: -60, times: 1 },
    ])
    const { headers } = await x.hello()
    expect(headers.get('x-app-limit-24hour-remaining')).toBe('0')
    expect(Number(headers.get('x-app-limit-24hour-reset')) - Date.now() / 1000).toBeGreaterThan(7000)
    expect(headers.get('x-rate-limit-remaining')).not.toBe('0')
    expect(headers.has('x-user-limit-24hour-remaining')).toBe(false)
    expect(Number((await x.hello()).headers.get('x-rate-limit-reset'))).toBeLessThan(Date.now() / 1000)
  })

  test('cuts the connection before the effect with dropBefore', async () => {
    const x = await sender()
    await x.faults([{ path: SEND, dropBefore: true, times: 1 }])
    await expect(x.hello()).rejects.toThrow()
    expect(await x.log()).toEqual([])
    expect((await x.hello()).status).toBe(201)
  })

  test('cuts the connection after the effect with dropAfter', async () => {
    const x = await sender()
    await x.faults([{ path: SEND, dropAfter: true, times: 1 }])
    await expect(x.hello()).rejects.toThrow()
    expect(await x.log()).toHaveLength(1)
  })

  test('takes effect after delayMs even if the caller disconnected', async () => {
    const x = await sender()
    await x.faults([{ path: SEND, delayMs: 150, times: 1 }])
    const aborted = x.call(`/2/dm_conversations/with/${x.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${x.tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello' }),
      signal: AbortSignal.timeout(50),
    })
    await expect(aborted).rejects.toThrow()
    expect(await x.log()).toEqual([])
    await vi.waitFor(async () => expect(await x.log()).toHaveLength(1), 60_000)
  })

  test('applies to its method and path, also at the token endpoint, but never to test endpoints', async () => {
    const x = await sender()
    await x.faults([
      { path: '/2/oauth2', status: 500 },
      { path: '/2/users', method: 'post', status: 500 },
      { path: '/', status: 418, times: 1 },
    ])
    expect((await x.form('/2/oauth2/token', {})).status).toBe(500)
    expect((await x.log()).length).toBe(0)
    expect((await x.get('/2/users/me')).status).toBe(418)
    expect((await x.get('/2/users/me')).status).toBe(200)
    await x.faults([])
    expect((await x.form('/2/oauth2/token', {})).status).toBe(400)
  })

  test('returns 400 for an invalid fault', async () => {
    const x = await openX()
    for (const wrong of [
      {},
      [{ status: 500 }],
      [{ path: '2/users', status: 500 }],
      [{ path: '/', status: 200 }],
      [{ path: '/', times: 0 }],
      [{ path: '/', colour: 1 }],
    ]) {
      expect((await x.faults(wrong)).status, JSON.stringify(wrong)).toBe(400)
    }
  })
})
