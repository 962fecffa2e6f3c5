import { QueryClientProvider } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/leads/lists'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { ListActions } from './list-columns'

const list = (id: string) =>
  ({ id, name: id, description: null, filter: null, leadCount: 0, contactedCount: 0, createdAt: '2026-11-22' }) as List
const queries = createQueryClient()

/** Indexes of the lists whose Duplicate button is disabled. */
function busy(): number[] {
  const page = renderToString(
    <QueryClientProvider client={queries}>
      <MemoryRouter>
        <ConfirmProvider>
          {['a', 'b', 'c'].map((id) => (
            <ListActions key={id} list={list(id)} onView={() => {}} onManage={() => {}} onEdit={() => {}} />
          ))}
        </ConfirmProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const buttons = page.match(/<button[^>]*aria-label="Duplicate"[^>]*>/g) ?? []
  return buttons.flatMap((button, index) => (/disabled="(true)?"/.test(button) ? [index] : []))
}

test('disables Duplicate while a list is being copied, even after leaving and reopening the page', async () => {
  expect(busy()).toEqual([])
  const finish = ['a', 'c'].map((id) => {
    const { promise, resolve } = Promise.withResolvers<List>()
    const copying = queries
      .getMutationCache()
      .build(queries, { mutationKey: api.lists.duplicate.mutationKey(), mutationFn: () => promise })
      .execute({ id })
    return async () => {
      resolve(list('copy'))
      await copying
    }
  })
  expect(busy()).toEqual([0, 2])
  await finish[0]?.()
  expect(busy()).toEqual([2])
  await finish[1]?.()
  expect(busy()).toEqual([])
})
