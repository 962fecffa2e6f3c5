import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../query-client'
import Login from './login'

/** The prerendered markup, which the browser's first render must match. */
const firstRender = (state: unknown) =>
  renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <MemoryRouter initialEntries={[{ pathname: '/login', state }]}>
        <Login />
      </MemoryRouter>
    </QueryClientProvider>,
  )

test('the first render matches the prerendered page, even if navigation state survived a reload', () => {
  const needed = { secondFactor: ['totp'], ticket: 't' }
  expect(firstRender({ from: '/lists', notice: 'Please log in to view your lists.', problem: 'p', needed })).toBe(
    firstRender(null),
  )
})
