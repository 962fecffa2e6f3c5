import { QueryClientProvider } from '@tanstack/react-query'
import type { XAccount } from '@x-automated/contract/platform/x-account'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { NextSteps } from './connect-x'

const account = (status: XAccount['status']) => ({ id: 'x', handle: 'founder', status }) as XAccount

const render = (connected: boolean, ...accounts: XAccount[]) =>
  renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <MemoryRouter>
          <NextSteps connected={connected} accounts={accounts} />
        </MemoryRouter>
      </ConfirmProvider>
    </QueryClientProvider>,
  )

test('offers to disconnect the only account, even if X has ended its connection', () => {
  expect(render(true, account('connected'))).toMatch(/Scrape followers.*Disconnect/)
  const lost = render(false, account('lost'))
  expect(lost).toContain('Disconnect')
  expect(lost).not.toContain('Scrape followers')
  expect(render(false)).toBe('')
})
