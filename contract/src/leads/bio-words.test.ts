import { expect, test } from 'vitest'
import { bioWordsText, fitsBioWords, parseBioWords, wordsIn } from './bio-words.ts'

test('splits a bio into its distinct words, in lower case', () => {
  expect([...wordsIn('Founder & CEO @Acme. Founder, café-owner 2x #BuildInPublic')]).toEqual([
    'founder',
    'ceo',
    'acme',
    'café',
    'owner',
    '2x',
    'buildinpublic',
  ])
  expect(wordsIn(null).size).toBe(0)
})

test('finds whole words only', () => {
  expect(fitsBioWords('I said no', { required: ['ai'], excluded: [] })).toBe(false)
  expect(fitsBioWords('AI, said I', { required: ['ai'], excluded: [] })).toBe(true)
})

test('requires all required words and none of the excluded', () => {
  const words = { required: ['founder', 'saas'], excluded: ['crypto'] }
  expect(fitsBioWords('SaaS founder', words)).toBe(true)
  expect(fitsBioWords('Founder', words)).toBe(false)
  expect(fitsBioWords('SaaS founder, ex-crypto', words)).toBe(false)
  expect(fitsBioWords(null, { required: [], excluded: ['crypto'] })).toBe(true)
})

test('reads what it writes', () => {
  const words = { required: ['founder', 'ai'], excluded: ['crypto'] }
  expect(bioWordsText(words)).toBe('founder ai -crypto')
  expect(parseBioWords(' Founder ai  -crypto founder ')).toEqual(words)
  expect(parseBioWords('- --')).toEqual({ required: [], excluded: [] })
})
