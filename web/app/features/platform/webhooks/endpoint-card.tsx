import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { WebhookEndpoint } from '@x-automated/contract/platform/webhooks'
import { Ellipsis, KeyRound, List, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { api, errorText } from '../../../api'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useConfirm } from '../../../ui/confirm'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { disabledText } from './webhook-text'

export interface EndpointCardProps {
  endpoint: WebhookEndpoint
  onEdit: () => void
  onLog: () => void
  onSecret: (secret: string) => void
}

/** An endpoint with its status and actions. */
export function EndpointCard({ endpoint, onEdit, onLog, onSecret }: EndpointCardProps) {
  const { id, url, description, events, enabled, disabledReason, failingSince } = endpoint
  const queries = useQueryClient()
  const confirm = useConfirm()
  const answered = {
    onSettled: () => queries.invalidateQueries({ queryKey: api.webhooks.key() }),
    onError: (error: Error) => void toast.error(errorText(error)),
  }
  const update = useMutation(api.webhooks.update.mutationOptions(answered))
  const remove = useMutation(api.webhooks.remove.mutationOptions(answered))
  const rotate = useMutation(
    api.webhooks.rotateSecret.mutationOptions({ ...answered, onSuccess: ({ secret }) => onSecret(secret) }),
  )
  const test = useMutation(
    api.webhooks.test.mutationOptions({
      ...answered,
      onSuccess({ status, lastStatus, lastError }) {
        if (status === 'delivered') toast.success(`Test delivered (HTTP ${lastStatus}).`)
        else toast.error(`Test failed: ${lastError}.`)
      },
    }),
  )
  const askRotate = async () => {
    const body = "You'll get a new one. For 24 hours, events are signed with both so you can switch over."
    if (await confirm({ title: 'Rotate the signing secret?', body, confirm: 'Rotate secret' })) rotate.mutate({ id })
  }
  const askRemove = async () => {
    const body = "It stops receiving events, and its delivery log is deleted. This can't be undone."
    const question = { title: 'Delete this webhook?', body, confirm: 'Delete webhook', danger: true }
    if (await confirm(question)) remove.mutate({ id })
  }
  return (
    <li className="grid grid-cols-1 gap-4 rounded-lg border border-line bg-surface p-5" aria-label={url}>
      <div className="flex items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <h3 className="text-base wrap-anywhere">{url}</h3>
          {description && <p className="text-muted wrap-anywhere">{description}</p>}
        </div>
        <Menu
          trigger={
            <IconButton label={`More for ${url}`} size="sm">
              <Ellipsis aria-hidden />
            </IconButton>
          }
        >
          <MenuItem icon={<Pencil aria-hidden />} onSelect={onEdit}>
            Edit
          </MenuItem>
          <MenuItem icon={<KeyRound aria-hidden />} onSelect={askRotate}>
            Rotate secret
          </MenuItem>
          <MenuItem
            icon={enabled ? <Pause aria-hidden /> : <Play aria-hidden />}
            onSelect={() => update.mutate({ id, enabled: !enabled })}
          >
            {enabled ? 'Disable' : 'Enable'}
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={askRemove}>
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
            <Button size="sm" onClick={() => update.mutate({ id, enabled: true })} loading={update.isPending}>
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
        <Button size="sm" icon={<Send aria-hidden />} onClick={() => test.mutate({ id })} loading={test.isPending}>
          Send test
        </Button>
      </div>
    </li>
  )
}
