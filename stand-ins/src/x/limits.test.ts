import { expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'
import { createLimits } from './limits.ts'
import type { Problem } from './problems.ts'

test('rejects the 16th message in 15 minutes with 429 until the reset', async () => {
  const x = await openX({ limits: 'real' })
  const me = await x.signIn('sender')
  const id = await me.idOf('open_a')
  for (let n = 1; n <= 15; n++) {
    const response = await me.send(id, `message ${n}`)
    expect(response.status).toBe(201)
    expect(response.headers.get('x-rate-limit-limit')).toBe('15')
    expect(response.headers.get('x-rate-limit-remaining')).toBe(String(15 - n))
  }
  const refused = await me.send(id, 'message 16')
  expect(refused).toMatchObject({
    status: 429,
    body: { status: 429, type: 'https://api.x.com/2/problems/rate-limit-exceeded' },
  })
  expect(refused.headers.get('x-rate-limit-remaining')).toBe('0')
  expect(refused.headers.has('retry-after')).toBe(false)
  const seconds = Number(refused.headers.get('x-rate-limit-reset')) - Date.now() / 1000
  expect(seconds).toBeGreaterThan(890)
  expect(seconds).toBeLessThanOrEqual(901)
  expect(await x.log()).toHaveLength(15)

  const somebodyElse = await x.signIn('other')
  expect((await somebodyElse.send(id, 'Hello')).status).toBe(201)
  x.wait(900_000)
  expect((await me.send(id, 'message 16')).status).toBe(201)
})

test('applies X’s published limit of each call', () => {
  const published = {
    userByUsername: 900,
    me: 75,
    followers: 300,
    following: 300,
    readDms: 15,
    readConversation: 15,
  } as const
  for (const [call, most] of Object.entries(published)) {
    const count = createLimits(true, () => 0)
    for (let n = 0; n < most; n++) count(call as keyof typeof published, 'user', 'app')
    expect(() => count(call as keyof typeof published, 'user', 'app'), call).toThrow('429')
    expect(() => count(call as keyof typeof published, 'another', 'app'), call).not.toThrow()
  }
})

/**
 * Sends for each user in turn, as fast as the 15-minute windows allow, until the 24-hour limit of a
 * user or of the app is reached.
 * @returns the count, and the reset in the 24-hour header
 */
function sendAllDay(users: string[], scope: 'user' | 'app') {
  let time = 0
  const count = createLimits(true, () => time)
  for (let sent = 0; ; sent++) {
    try {
      count('sendDm', users[sent % users.length]!, 'app')
    } catch (error) {
      const { headers } = error as Problem
      if (headers[`x-${scope}-limit-24hour-remaining`] === '0')
        return { sent, reset: Number(headers[`x-${scope}-limit-24hour-reset`]) }
      time = Number(headers['x-rate-limit-reset']) * 1000
      sent--
    }
  }
}

test('allows 500 messages per account and 1,440 per app in 24 hours, and names each limit in its header', () => {
  expect(sendAllDay(['one'], 'user')).toEqual({ sent: 500, reset: 86_400 })
  expect(sendAllDay(['one', 'two', 'three'], 'app')).toEqual({ sent: 1440, reset: 86_400 })
})

test('rejects nothing if limits are off, and returns headers of a limit that is never reached', async () => {
  const x = await openX()
  const me = await x.signIn()
  const id = await me.idOf('open_a')
  for (let n = 0; n < 40; n++) {
    const response = await me.send(id, 'Hello')
    expect(response.status).toBe(201)
    expect(Number(response.headers.get('x-rate-limit-remaining'))).toBeGreaterThan(1000)
  }
})
