import { expect, it, vi } from 'vitest'
import { saveFound } from './use-save-found'

const found = { scrape: { id: 's', matched: 2 }, range: {}, name: 'Followers of @ana' }

it('saveFound adds to the list that it made, after a failure and after more leads were found', async () => {
  const lists = {
    create: vi.fn(async () => ({ id: 'l' })),
    addLeads: vi.fn(async () => ({ changed: 2, cursor: null })),
  }
  const save = (kept: Parameters<typeof saveFound>[0], matched = 2) =>
    saveFound(kept, { ...found, scrape: { id: 's', matched } }, lists as never)
  const kept = {}
  lists.addLeads.mockRejectedValueOnce(new Error('offline'))
  await expect(save(kept)).rejects.toThrow('offline')
  expect(await save(kept)).toEqual({ id: 'l', name: 'Followers of @ana', added: 2 })
  expect(await save(kept)).toMatchObject({ added: null })
  expect(await save(kept, 5)).toMatchObject({ id: 'l', added: 2 })
  expect(lists.create).toHaveBeenCalledOnce()
})
