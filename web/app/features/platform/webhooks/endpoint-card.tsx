import type { WebhookEndpoint } from '@x-automated/contract/platform/webhooks'
import { Ellipsis, KeyRound, List, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { api, client } from '../../../api'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { disabledText } from './webhook-text'

interface EndpointCardProps {
  endpoint: WebhookEndpoint
  onEdit: () => void
  onLog: () => void
  onSecret: (secret: string) => void
}

/** An endpoint with its status and actions. */
export function EndpointCard({ endpoint, onEdit, onLog, onSecret }: EndpointCardProps) {
  const { id, url, description, events, enabled, disabledReason, failingSince } = endpoint
  const refetches = [api.webhooks]
  const toggle = useAction(() => client.webhooks.update({ id, enabled: !enabled }), { refetches })
  const remove = useAction(() => client.webhooks.remove({ id }), {
    question: {
      title: 'Delete this webhook?',
      body: "It stops receiving events, and its delivery log is deleted. This can't be undone.",
      confirm: 'Delete webhook',
      danger: true,
    },
    refetches,
  })
  const rotate = useAction(() => client.webhooks.rotateSecret({ id }), {
    question: {
      title: 'Rotate the signing secret?',
      body: "You'll get a new one. For 24 hours, events are signed with both so you can switch over.",
      confirm: 'Rotate secret',
    },
    onSuccess: ({ secret }) => onSecret(secret),
    refetches,
  })
  const test = useAction(() => client.webhooks.test({ id }), {
    onSuccess({ status, lastStatus, lastError }) {
      if (status === 'delivered') toast.success(`Test delivered (HTTP ${lastStatus}).`)
      else toast.error(`Test failed: ${lastError}.`)
    },
    refetches,
  })
  return (
    <li className="grid grid-cols-1 gap-4 rounded-lg border border-line bg-surface p-5" aria-label={url}>
      <div className="flex items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <h3 className="text-base wrap-anywhere">{url}</h3>
          {description && <p className="text-muted wrap-anywhere">{description}</p>}
        </div>
        <Menu trigger={<IconButton icon={<Ellipsis />} label={`More for ${url}`} size="sm" />}>
          <MenuItem icon={<Pencil aria-hidden />} onSelect={onEdit}>
            Edit
          </MenuItem>
          <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => rotate.run()}>
            Rotate secret
          </MenuItem>
          <MenuItem icon={enabled ? <Pause aria-hidden /> : <Play aria-hidden />} onSelect={() => toggle.run()}>
            {enabled ? 'Disable' : 'Enable'}
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => remove.run()}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={enabled ? 'active' : 'paused'}>{enabled ? 'Enabled' : 'Disabled'}</StatusBadge>
        {events.map((event) => (
          <Badge key={event}>{event}</Badge>
        ))}
      </div>
      {!enabled && disabledReason && (
        <Callout
          tone="warn"
          action={
            <Button size="sm" onClick={() => toggle.run()} loading={toggle.isPending}>
              Enable
            </Button>
          }
        >
          {disabledText[disabledReason]} Events that happen while it's disabled aren't sent later.
        </Callout>
      )}
      {enabled && failingSince && (
        <Callout tone="warn">
          Failing since <DateTime value={failingSince} endsSentence /> The log says why.
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<List aria-hidden />} onClick={onLog}>
          Delivery log
        </Button>
        <Button size="sm" icon={<Send aria-hidden />} onClick={() => test.run()} loading={test.isPending}>
          Send test
        </Button>
      </div>
    </li>
  )
}
