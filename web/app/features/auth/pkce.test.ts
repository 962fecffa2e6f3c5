import { createHash } from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { newCodeChallenge, takeCodeVerifier } from './pkce'

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
})

it('challenges with the SHA-256 of a verifier that can be taken once', async () => {
  const challenge = await newCodeChallenge()
  const verifier = takeCodeVerifier()
  expect(verifier).toMatch(/^[\w-]{43}$/)
  expect(challenge).toBe(createHash('sha256').update(String(verifier)).digest('base64url'))
  expect(takeCodeVerifier()).toBeNull()
})

it('never makes the same verifier twice', async () => {
  expect(await newCodeChallenge()).not.toBe(await newCodeChallenge())
})
