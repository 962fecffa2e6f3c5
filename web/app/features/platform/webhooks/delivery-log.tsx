import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { DeliveryStatus, WebhookDelivery, WebhookEndpoint } from '@x-automated/contract/platform/webhooks'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { Dialog } from '../../../ui/dialog'
import { Pager } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { Table, Td, Tr } from '../../../ui/table'
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
  const { data } = log
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
        {log.isError && (
          <Callout tone="bad">{errorText(log.error, 'Failed to load the delivery log. Please try again.')}</Callout>
        )}
        {data?.total === 0 ? (
          <p className="py-8 text-center text-muted">
            {status ? 'No matching deliveries.' : 'Nothing sent yet. Send a test event or wait for someone to join.'}
          </p>
        ) : (
          <Table
            label="Deliveries"
            columns={['Event', 'Status', 'Response', 'When', { name: 'Actions', hidden: true }]}
            stale={log.isPlaceholderData}
          >
            {data?.deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} delivery={delivery} enabled={endpoint.enabled} />
            ))}
          </Table>
        )}
        <Pager page={page} pageSize={PAGE_SIZE} query={log} onChange={setPage} noun="deliveries" />
      </div>
    </Dialog>
  )
}

function DeliveryRow({ delivery, enabled }: { delivery: WebhookDelivery; enabled: boolean }) {
  const { id, event, status, attempts, lastStatus, lastError, nextAttemptAt, createdAt, payload } = delivery
  const redeliver = useAction(() => client.webhooks.redeliver({ id }), {
    done: 'Delivery queued again.',
    refetches: [api.webhooks],
  })
  return (
    <Tr>
      <Td label="Event">
        <details>
          <summary className="wrap-anywhere">{eventLabel(event)}</summary>
          <pre className="mt-2 max-w-80 overflow-x-auto rounded-md bg-sunken p-3 text-start font-mono text-xs">
            {JSON.stringify(payload, null, 2)}
            {delivery.responseExcerpt && `\n\nResponse:\n${delivery.responseExcerpt}`}
          </pre>
        </details>
      </Td>
      <Td label="Status">
        <StatusBadge status={status === 'pending' ? 'queued' : status}>{labels[status]}</StatusBadge>
      </Td>
      <Td label="Response">
        <span className="grid">
          <span data-numeric>{lastError ?? (lastStatus === null ? 'None yet' : `HTTP ${lastStatus}`)}</span>
          {attempts > 1 && <span className="text-muted">{formatCount(attempts, 'attempt')}</span>}
          {status === 'pending' && attempts > 0 && nextAttemptAt && (
            <span className="text-muted">
              Next <DateTime value={nextAttemptAt} />
            </span>
          )}
        </span>
      </Td>
      <Td label="When" className="whitespace-nowrap">
        <DateTime value={createdAt} />
      </Td>
      <Td label="Actions">
        <Button
          size="sm"
          variant="ghost"
          icon={<RotateCw aria-hidden />}
          disabled={!enabled}
          loading={redeliver.isPending}
          onClick={() => redeliver.run()}
        >
          Redeliver
        </Button>
      </Td>
    </Tr>
  )
}
