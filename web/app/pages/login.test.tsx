import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { createQueryClient } from '../query-client'
import Login from './login'

/** As it is prerendered, and as the browser has to render it at first. */
const firstRender = (state: unknown) =>
  renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <MemoryRouter initialEntries={[{ pathname: '/login', state }]}>
        <Login />
      </MemoryRouter>
    </QueryClientProvider>,
  )

test('the first render is as prerendered, whatever the browser has kept of a navigation over a reload', () => {
  const needed = { secondFactor: ['totp'], ticket: 't' }
  expect(firstRender({ from: '/lists', notice: 'Please log in to view your lists.', problem: 'p', needed })).toBe(
    firstRender(null),
  )
})
