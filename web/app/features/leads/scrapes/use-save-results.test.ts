import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { expect, it, vi } from 'vitest'
import { listName, saveResults } from './use-save-results'

const scrape = { id: '0190f1f0-0000-7000-8000-000000000001' }

it('saveResults saves the same results of a scrape on the same list', async () => {
  const lists = {
    create: vi.fn(async ({ id, name }: { id: string; name: string }) => ({ id, name })),
    addLeads: vi.fn(async () => ({ changed: 2, cursor: null as string | null })),
  }
  const save = (query: Parameters<typeof saveResults>[0]['query'], id = scrape.id) =>
    saveResults({ scrape: { id }, query, name: 'Followers of @ana' }, lists as never)
  lists.addLeads.mockResolvedValueOnce({ changed: 10_000, cursor: 'next' })
  const first = await save({ bioWords: 'founder' })
  expect(first).toEqual({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8/),
    name: 'Followers of @ana',
    added: 10_002,
  })
  expect(lists.addLeads).toHaveBeenLastCalledWith({
    id: first.id,
    filter: { scrapeId: scrape.id, bioWords: 'founder' },
    cursor: 'next',
  })
  expect((await save({ bioWords: 'founder' })).id).toBe(first.id)
  const others = [await save({}), await save({ minFollowers: 200 }), await save({ maxFollowers: 200 })]
  const another = await save({ bioWords: 'founder' }, '0190f1f0-0000-7000-8000-000000000002')
  expect(new Set([first, ...others, another].map(({ id }) => id)).size).toBe(5)
})

it('names the list by what it was filtered by', () => {
  const scrape = { type: 'followers', twitterHandle: 'ana', minFollowers: 100, maxFollowers: 9_000 } as Scrape
  expect(listName(scrape, {})).toBe('Followers of @ana')
  expect(listName(scrape, { minFollowers: 200, bioWords: 'founder -crypto' })).toBe(
    'Followers of @ana, 200 to 9,000 followers, founder, not crypto',
  )
})
