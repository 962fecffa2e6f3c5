import { formatCount, formatNumber } from '@x-automated/contract/format'
import { StatusBadge } from '../../../ui/badge'
import { Table, Td, Tr } from '../../../ui/table'
import type { Recipient } from './saved-run'
import type { SendResult } from './send-run'

/** What happened to one lead of a run. */
export interface RowResult {
  lead: Recipient
  result: SendResult
}

/** More rows would slow down each second of a run. */
const SHOWN_MAX = 200

/** The results of the current or last run, lead by lead, latest first. */
export function RunResults({ results }: { results: readonly RowResult[] }) {
  if (results.length === 0) return null
  const shown = results.slice(-SHOWN_MAX).reverse()
  return (
    <section aria-label="Last send" className="grid gap-2">
      <h3 className="font-strong">Last send</h3>
      <Table
        label="Results of the last send"
        maxHeight="22rem"
        columns={['Lead', { name: 'Result', className: 'md:w-1/2' }]}
      >
        {shown.map(({ lead, result }) => (
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
                  <StatusBadge status="failed" />
                  <span className="text-xs wrap-anywhere text-muted">{result.text}</span>
                </span>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
      {results.length > SHOWN_MAX && (
        <p className="text-muted" data-numeric>
          The latest {formatNumber(SHOWN_MAX)} of {formatCount(results.length, 'lead')}
        </p>
      )}
    </section>
  )
}
