import type { Lead } from '@x-automated/contract/leads/leads'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PagedTable } from './paged-table'

const lead = { id: 'a', twitterHandle: 'ada' } as Lead
const render = (data: { leads: Lead[]; total: number } | undefined) =>
  renderToString(
    <PagedTable
      label="Leads"
      loading="Loading leads…"
      rows={data?.leads}
      query={{
        data,
        error: new Error('gone'),
        isPending: false,
        isPlaceholderData: false,
        isFetching: false,
        refetch: () => {},
      }}
      failure={() => 'Failed to fetch leads'}
      empty="none"
      columns={[{ name: 'Handle', cell: ({ twitterHandle }) => twitterHandle }]}
      page={1}
      pageSize={25}
      onChange={() => {}}
    />,
  )

test('keeps showing leads if a background refetch fails', () => {
  expect(render(undefined)).toContain('Failed to fetch leads')
  expect(render({ leads: [lead], total: 1 })).toContain('ada')
})
