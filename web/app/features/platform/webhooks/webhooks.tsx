import { useQuery } from '@tanstack/react-query'
import type { WebhookEndpoint } from '@x-automated/contract/platform/webhooks'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { SecretDialog } from '../../../ui/secret-dialog'
import { Skeleton } from '../../../ui/skeleton'
import { DeliveryLog } from './delivery-log'
import { EndpointCard } from './endpoint-card'
import { EndpointDialog } from './endpoint-dialog'

/** Webhook endpoints of the waitlist. */
export function Webhooks() {
  const list = useQuery(api.webhooks.list.queryOptions())
  /** The dialog's state. `opening` counts how often it was opened, to remount the form. */
  const [form, setForm] = useState<{ open: boolean; endpoint: WebhookEndpoint | null; opening: number }>({
    open: false,
    endpoint: null,
    opening: 0,
  })
  const [secret, setSecret] = useState<string | null>(null)
  const [logOf, setLogOf] = useState<WebhookEndpoint | null>(null)
  const edit = (endpoint: WebhookEndpoint | null) =>
    setForm(({ opening }) => ({ open: true, endpoint, opening: opening + 1 }))
  const endpoints = list.data?.endpoints
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => edit(null)}>
      Add webhook
    </Button>
  )
  return (
    <section aria-labelledby="webhooks" className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="grid gap-0.5">
          <h2 id="webhooks" className="text-xl">
            Webhooks
          </h2>
          <p className="text-muted">
            Signed events about joins, referrals and achievements, sent to your own services.
          </p>
        </div>
        {endpoints && endpoints.length > 0 && add}
      </div>
      {list.isError && !endpoints && <QueryError query={list} fallback="Failed to load webhooks. Please try again." />}
      {list.isPending && <Skeleton className="h-36 w-full" />}
      {endpoints?.length === 0 && (
        <EmptyState icon={<Webhook aria-hidden />} title="No webhooks yet" action={add}>
          Add a URL to receive an event whenever someone joins.
        </EmptyState>
      )}
      {endpoints && endpoints.length > 0 && (
        <ul className="grid grid-cols-1 gap-4">
          {endpoints.map((endpoint) => (
            <EndpointCard
              key={endpoint.id}
              endpoint={endpoint}
              onEdit={() => edit(endpoint)}
              onLog={() => setLogOf(endpoint)}
              onSecret={setSecret}
            />
          ))}
        </ul>
      )}
      <EndpointDialog
        key={form.opening}
        endpoint={form.endpoint}
        open={form.open}
        onClose={() => setForm((now) => ({ ...now, open: false }))}
        onSecret={setSecret}
      />
      <SecretDialog
        title="Signing secret"
        description="Use it to verify that events come from us. Copy it now: it won't be shown again."
        label="Secret"
        secret={secret}
        onClose={() => setSecret(null)}
      />
      {logOf && <DeliveryLog endpoint={logOf} onClose={() => setLogOf(null)} />}
    </section>
  )
}
