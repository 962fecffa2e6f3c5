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
    const gone = x.call(`/2/dm_conversations/with/${x.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${x.tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello' }),
      signal: AbortSignal.timeout(50),
    })
    await expect(gone).rejects.toThrow()
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
