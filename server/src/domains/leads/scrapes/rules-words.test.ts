import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WordCounts } from './tables.ts'
import { addWords, frequentWords } from './words.ts'

describe('addWords', () => {
  it('counts the bios of each word once, most frequent first', () => {
    const first = addWords([], ['Founder of a SaaS. SaaS!', 'Founder and designer', null])
    expect(first).toEqual([
      ['founder', 2],
      ['designer', 1],
      ['saas', 1],
    ])
    expect(addWords(first, ['Designer', 'designer'])).toEqual([
      ['designer', 3],
      ['founder', 2],
      ['saas', 1],
    ])
  })

  it('leaves out numbers, letters, common words and parts of URLs', () => {
    expect(addWords([], ['I am the 1st of 2024, x https://t.co/ und die', 'a'.repeat(25)])).toEqual([['1st', 1]])
  })

  it('counts words that are names of object properties', () => {
    expect(addWords([], ['constructor __proto__'])).toEqual([
      ['__proto__', 1],
      ['constructor', 1],
    ])
  })

  it('keeps at most 300 words, and counts those of every page exactly', () => {
    const page = fc.array(fc.string({ unit: fc.constantFrom(...'bcdfghjk'), minLength: 3, maxLength: 4 }), {
      minLength: 1,
      maxLength: 400,
    })
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 5 }), (pages) => {
        const counted = pages.reduce<WordCounts>(
          (before, words) => addWords(before, [...words, 'founder', 'founder']),
          [],
        )
        expect(counted.length).toBeLessThanOrEqual(300)
        expect(new Map(counted).get('founder')).toBe(2 * pages.length)
      }),
      { numRuns: 30 },
    )
  })
})

describe('frequentWords', () => {
  it('offers at most 40 words, each of at least two bios', () => {
    const counted: WordCounts = Array.from({ length: 60 }, (_, index) => [`word${index}`, 60 - index])
    expect(frequentWords(counted)).toHaveLength(40)
    expect(
      frequentWords([
        ['founder', 2],
        ['saas', 1],
      ]),
    ).toEqual([{ word: 'founder', count: 2 }])
  })
})
