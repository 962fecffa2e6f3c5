import { formatCount, formatNumber } from '@x-automated/contract/format'
import { StatusBadge } from '../../../ui/badge'
import { Table, Td, Tr } from '../../../ui/table'
import { RESULTS_MAX, type RowResult } from './saved-run'

/** The results of the current or last run by lead, latest first. */
export function RunResults({ results }: { results: readonly RowResult[] }) {
  if (results.length === 0) return null
  const visible = results.slice(-RESULTS_MAX).reverse()
  return (
    <section aria-label="Last send" className="grid gap-2">
      <h3 className="font-strong">Last send</h3>
      <Table
        label="Results of the last send"
        maxHeight="22rem"
        columns={['Lead', { name: 'Result', className: 'md:w-1/2' }]}
      >
        {visible.map(({ lead, result }) => (
          <Tr key={lead.id}>
            <Td>
              <bdi className="font-strong wrap-anywhere">{lead.name || lead.twitterHandle}</bdi>{' '}
              <span className="text-muted">@{lead.twitterHandle}</span>
            </Td>
            <Td label="Result">
              {result.kind === 'sent' ? (
                <StatusBadge status="sent" />
              ) : (
                <span className="grid gap-1">
                  <StatusBadge status={result.kind === 'skipped' ? 'skipped' : 'failed'} />
                  <span className="text-xs wrap-anywhere text-muted">{result.text}</span>
                </span>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
      {results.length > RESULTS_MAX && (
        <p className="text-muted" data-numeric>
          The latest {formatNumber(RESULTS_MAX)} of {formatCount(results.length, 'lead')}
        </p>
      )}
    </section>
  )
}
