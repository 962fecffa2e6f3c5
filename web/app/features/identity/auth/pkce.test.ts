import { createHash } from 'node:crypto'
import { ORPCError } from '@orpc/client'
import { beforeEach, expect, it, vi } from 'vitest'
import { newCodeChallenge, requireCodeChallenge, takeCodeVerifier } from './pkce'

function storage() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  }
}

beforeEach(() => {
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  return () => vi.unstubAllGlobals()
})

it('creates a challenge from the SHA-256 of a verifier that can be taken once', async () => {
  const challenge = await newCodeChallenge()
  const verifier = takeCodeVerifier()
  expect(verifier).toMatch(/^[\w-]{43}$/)
  expect(challenge).toBe(createHash('sha256').update(String(verifier)).digest('base64url'))
  expect(takeCodeVerifier()).toBeNull()
})

it('creates a different verifier each time', async () => {
  expect(await newCodeChallenge()).not.toBe(await newCodeChallenge())
})

it.each(['google', 'sso', 'link'] as const)('keeps verifiers of two tabs apart for %s', async (purpose) => {
  const first = sessionStorage
  const challenge = await newCodeChallenge(purpose)
  vi.stubGlobal('sessionStorage', storage())
  await newCodeChallenge(purpose)
  vi.stubGlobal('sessionStorage', first)
  const verifier = String(takeCodeVerifier(purpose))
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge)
})

it('finds a sign-up verifier in the tab opened by the emailed link', async () => {
  await newCodeChallenge('signUp')
  vi.stubGlobal('sessionStorage', storage())
  expect(takeCodeVerifier('signUp')).not.toBeNull()
})

it('rejects with a text to show if the page has no Web Crypto', async () => {
  vi.stubGlobal('crypto', {})
  await expect(requireCodeChallenge('sso')).rejects.toThrow(
    new ORPCError('INSECURE_PAGE', { status: 400, message: 'Open this page over HTTPS to sign in this way.' }),
  )
})
