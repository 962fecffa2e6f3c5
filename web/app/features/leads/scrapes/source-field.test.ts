import { expect, it } from 'vitest'
import { isSourceOf } from './source-field'

const failed = { type: 'repliers', twitterHandle: null, postUrl: 'https://x.com/ana/status/12', listUrl: null } as const

it('isSourceOf compares the post, however its URL is written, and not only the type', () => {
  expect(isSourceOf(failed, { type: 'repliers', postUrl: 'x.com/ana/status/12?s=20' })).toBe(true)
  expect(isSourceOf(failed, { type: 'repliers', postUrl: 'https://x.com/ana/status/13' })).toBe(false)
  expect(isSourceOf(failed, { type: 'followers', twitterHandle: 'ana' })).toBe(false)
})

it('isSourceOf compares handles without their case', () => {
  const followers = { ...failed, type: 'followers', twitterHandle: 'Ana', postUrl: null } as const
  expect(isSourceOf(followers, { type: 'followers', twitterHandle: 'ana' })).toBe(true)
  expect(isSourceOf(followers, { type: 'followers', twitterHandle: 'ben' })).toBe(false)
})
