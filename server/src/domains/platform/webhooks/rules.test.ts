import { DELIVERY_ATTEMPTS } from '@x-automated/contract/platform/webhooks'
import { describe, expect, it } from 'vitest'
import { DISABLE_AFTER_HOURS, newSecret, retryDelaySeconds, signatureOf } from './rules.ts'

describe('retryDelaySeconds', () => {
  const waits = (random: number) =>
    Array.from({ length: DELIVERY_ATTEMPTS }, (_, i) => retryDelaySeconds(i + 1, random))

  it('grows, returns null after the last attempt, and adds up to about a day', () => {
    const all = waits(0.5)
    expect(all).toEqual([5, 30, 120, 900, 3_600, 18_000, 64_800, null])
    const hours = (random: number) => waits(random).reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / 3_600
    expect(hours(0.5)).toBeCloseTo(24.3, 1)
    // Even the shortest total exceeds the time after which an endpoint is disabled.
    expect(hours(0)).toBeGreaterThan(DISABLE_AFTER_HOURS)
  })

  it('varies by a fifth', () => {
    expect(retryDelaySeconds(1, 0)).toBeCloseTo(4)
    expect(retryDelaySeconds(1, 1)).toBeCloseTo(6)
  })
})

describe('signatureOf', () => {
  const body = '{"test": 2432232314}'

  it('matches the example of the Standard Webhooks specification', () => {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body }
    expect(signatureOf(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  it('returns one signature per secret', () => {
    const secrets = [newSecret(), newSecret()]
    const message = { id: 'a', timestamp: 1, body }
    const [first, second, ...more] = signatureOf(secrets, message).split(' ')
    expect(more).toEqual([])
    expect([first, second]).toEqual(secrets.map((secret) => signatureOf([secret], message)))
    expect(first).not.toBe(second)
  })

  it('uses secrets of 24 random bytes', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})
