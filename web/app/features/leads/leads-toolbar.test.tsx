import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from '../../query-client'
import { ConfirmProvider } from '../../ui/confirm'
import type { useLeadSelection } from './lead-selection'
import { LeadsToolbar } from './leads-toolbar'

// Renders the menu open, because no menu opens without a browser.
vi.mock('../../ui/menu', () => ({
  Menu: ({ children }: { children: ReactNode }) => children,
  MenuSeparator: () => null,
  MenuItem: ({ disabled, children }: { disabled?: boolean; children: ReactNode }) => (
    <button type="button" disabled={disabled}>
      {children}
    </button>
  ),
}))

const selection: ReturnType<typeof useLeadSelection> = {
  ids: [],
  all: false,
  has: () => false,
  page: 'none',
  selectableHere: 0,
  toggle: () => {},
  togglePage: () => {},
  pickAll: () => {},
  clear: () => {},
}

/** The menu items for all matching leads, and whether they are enabled. */
function everyoneItems(stale: boolean) {
  const shown = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <LeadsToolbar
          filter={{ keyword: 'saas' }}
          total={12}
          stale={stale}
          onClearFilter={null}
          selection={selection}
          message=""
          onMessage={() => {}}
          sending={false}
          onSend={() => {}}
          onSuppress={() => {}}
          onRemove={() => {}}
        />
      </ConfirmProvider>
    </QueryClientProvider>,
  ).replaceAll('<!-- -->', '')
  return [...shown.matchAll(/<button type="button"( disabled="")?>((?:Tag|Delete) all [^<]*)</g)].map(
    ([, disabled, text]) => [text, disabled ? 'disabled' : 'enabled'],
  )
}

test('disables actions on all matching leads while the count is of the previous filter', () => {
  expect(everyoneItems(false)).toEqual([
    ['Tag all 12 leads', 'enabled'],
    ['Delete all 12 leads', 'enabled'],
  ])
  expect(everyoneItems(true)).toEqual([
    ['Tag all 12 leads', 'disabled'],
    ['Delete all 12 leads', 'disabled'],
  ])
})
