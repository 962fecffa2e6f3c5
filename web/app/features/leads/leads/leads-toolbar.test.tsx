import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { DEFAULT_LAYOUT } from './leads-columns'
import { LeadsToolbar } from './leads-toolbar'
import { useLeadsTable } from './use-leads-table'

// Renders the menu open, because menus cannot be opened without a browser.
vi.mock('../../../ui/menu', () => ({
  Menu: ({ children }: { children: ReactNode }) => children,
  MenuSeparator: () => null,
  MenuItem: ({ disabled, children }: { disabled?: boolean; children: ReactNode }) => (
    <button type="button" disabled={disabled}>
      {children}
    </button>
  ),
}))

function Toolbar({ stale }: { stale: boolean }) {
  const filter = { keyword: 'saas' }
  return (
    <LeadsToolbar
      filter={filter}
      total={12}
      isUncounted={false}
      stale={stale}
      onClearFilter={null}
      selection={useLeadsTable({ leads: [], filter, sort: 'name', onSort: () => {}, layout: DEFAULT_LAYOUT })}
      picked={{ ids: [] }}
      messageable={null}
      sending={false}
      onAct={() => {}}
    />
  )
}

/** Menu items about all matching leads, and whether they are enabled. */
function everyoneItems(stale: boolean) {
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <Toolbar stale={stale} />
      </ConfirmProvider>
    </QueryClientProvider>,
  ).replaceAll('<!-- -->', '')
  return [...html.matchAll(/<button type="button"( disabled="")?>((?:Tag|Delete) all [^<]*)</g)].map(
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
