import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ListChoice } from './add-to-list'

test('shows an error and no form to guests', () => {
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ListChoice chosen={null} onChoose={() => {}} />
    </QueryClientProvider>,
  )
  expect(html).toContain('User not found. Cannot fetch lists.')
  expect(html).not.toContain('Create List')
})
