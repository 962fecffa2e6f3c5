import type { Claim } from '@x-automated/contract/outreach/sending'
import { expect, test } from 'vitest'
import { createClaims } from './claims'

test('repeats an unanswered claim under its key, and uses a new key for the next', async () => {
  const keys: string[] = []
  const claim = { dmId: 'dm' } as Claim
  const answers = [new TypeError('Failed to fetch'), { status: 200 as const, body: claim }, { status: 204 as const }]
  const next = createClaims(async (key) => {
    keys.push(key)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer ?? { status: 204, headers: { 'retry-after': '7' } }
  })
  await expect(next()).rejects.toThrow('Failed to fetch')
  expect(await next()).toEqual({ claim })
  expect(await next()).toEqual({ inSeconds: null })
  expect(await next()).toEqual({ inSeconds: 7 })
  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(3)
})
