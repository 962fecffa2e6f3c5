import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { DeliveryStatus, WebhookDelivery, WebhookEndpoint } from '@x-automated/contract/platform/webhooks'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Dialog } from '../../../ui/dialog'
import { Select } from '../../../ui/select'
import { useAction } from '../../../use-action'
import { eventLabel } from './webhook-text'

const PAGE_SIZE = 25
const REFRESH_MS = 5_000

const labels: Record<DeliveryStatus, string> = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' }
const filters = [
  { value: '', label: 'All deliveries' },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
]

/** An endpoint's deliveries of the last 30 days. */
export function DeliveryLog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const [page, setPage] = useState(1)
  const [status, setStatus] = useState<DeliveryStatus | ''>('')
  const log = useQuery({
    ...api.webhooks.deliveries.queryOptions({
      input: { id: endpoint.id, page, pageSize: PAGE_SIZE, ...(status ? { status } : {}) },
      placeholderData: keepPreviousData,
    }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      size="wide"
      title="Delivery log"
      description={<span className="wrap-anywhere">{endpoint.url}, last 30 days</span>}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="grid grid-cols-1 gap-4">
        <Select
          aria-label="Show"
          className="w-48"
          options={filters}
          value={status}
          onChange={(event) => {
            setStatus(event.target.value as typeof status)
            setPage(1)
          }}
        />
        <PagedTable
          label="Deliveries"
          query={log}
          rows={log.data?.deliveries}
          columns={columnsOf(endpoint)}
          loading="Loading deliveries…"
          failure={(error) => errorText(error, 'Failed to load the delivery log. Please try again.')}
          empty={
            <p className="py-8 text-center text-muted">
              {status ? 'No matching deliveries.' : 'Nothing sent yet. Send a test event or wait for someone to join.'}
            </p>
          }
          page={page}
          pageSize={PAGE_SIZE}
          onChange={setPage}
          noun="deliveries"
        />
      </div>
    </Dialog>
  )
}

const columnsOf = ({ enabled }: WebhookEndpoint): readonly Column<WebhookDelivery>[] => [
  {
    name: 'Event',
    cell: ({ event, payload, responseExcerpt }) => (
      <details>
        <summary className="wrap-anywhere">{eventLabel(event)}</summary>
        <pre className="mt-2 max-w-80 overflow-x-auto rounded-md bg-sunken p-3 text-start font-mono text-xs">
          {JSON.stringify(payload, null, 2)}
          {responseExcerpt && `\n\nResponse:\n${responseExcerpt}`}
        </pre>
      </details>
    ),
  },
  {
    name: 'Status',
    cell: ({ status }) => <StatusBadge status={status === 'pending' ? 'queued' : status}>{labels[status]}</StatusBadge>,
  },
  {
    name: 'Response',
    cell: ({ status, attempts, lastStatus, lastError, nextAttemptAt }) => (
      <span className="grid">
        <span data-numeric>{lastError ?? (lastStatus === null ? 'None yet' : `HTTP ${lastStatus}`)}</span>
        {attempts > 1 && <span className="text-muted">{formatCount(attempts, 'attempt')}</span>}
        {status === 'pending' && attempts > 0 && nextAttemptAt && (
          <span className="text-muted">
            Next <DateTime value={nextAttemptAt} />
          </span>
        )}
      </span>
    ),
  },
  { name: 'When', className: 'whitespace-nowrap', cell: ({ createdAt }) => <DateTime value={createdAt} /> },
  { name: 'Actions', hidden: true, cell: ({ id }) => <Redeliver id={id} disabled={!enabled} /> },
]

function Redeliver({ id, disabled }: { id: string; disabled: boolean }) {
  const redeliver = useAction(() => client.webhooks.redeliver({ id }), {
    done: 'Delivery queued again.',
    refetches: [api.webhooks],
  })
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={<RotateCw aria-hidden />}
      disabled={disabled}
      loading={redeliver.isPending}
      onClick={() => redeliver.run()}
    >
      Redeliver
    </Button>
  )
}
