import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { expect, it, vi } from 'vitest'
import { listName, saveResults } from './use-save-results'

const input = { scrape: { id: 's', matched: 2 }, query: { bioWords: 'founder' }, name: 'Followers of @ana' }

it('saveResults adds to the list that it made, after a failure and after more leads were found', async () => {
  const lists = {
    create: vi.fn(async () => ({ id: 'l' })),
    addLeads: vi.fn(async () => ({ changed: 2, cursor: null })),
  }
  const save = (cached: Parameters<typeof saveResults>[0], matched = 2) =>
    saveResults(cached, { ...input, scrape: { id: 's', matched } }, lists as never)
  const cache = {}
  lists.addLeads.mockRejectedValueOnce(new Error('offline'))
  await expect(save(cache)).rejects.toThrow('offline')
  expect(await save(cache)).toEqual({ id: 'l', name: 'Followers of @ana', added: 2 })
  expect(await save(cache)).toMatchObject({ added: null })
  expect(await save(cache, 5)).toMatchObject({ id: 'l', added: 2 })
  expect(lists.create).toHaveBeenCalledOnce()
  expect(lists.addLeads).toHaveBeenLastCalledWith({ id: 'l', filter: { scrapeId: 's', bioWords: 'founder' } })
})

it('names the list by what it was filtered by', () => {
  const scrape = { type: 'followers', twitterHandle: 'ana', minFollowers: 100, maxFollowers: 9_000 } as Scrape
  expect(listName(scrape, {})).toBe('Followers of @ana')
  expect(listName(scrape, { minFollowers: 200, bioWords: 'founder -crypto' })).toBe(
    'Followers of @ana, 200 to 9,000 followers, founder, not crypto',
  )
})
