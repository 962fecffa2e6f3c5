import { REPLY_LABELS } from '@x-automated/contract/leads/leads'
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Popover } from '../../../ui/popover'
import { Select } from '../../../ui/select'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { useTagsToPick } from '../../leads/leads/tag-badge'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { type InboxFilter, narrowedBy } from './inbox-filter'
import { type Inbox, useCampaignsById, useMembers } from './use-inbox'

/** Filters the list by label, tag, assignee, account and campaign. */
export function FilterMenu({ inbox }: { inbox: Inbox }) {
  const [open, setOpen] = useState(false)
  const count = narrowedBy(inbox.filter)
  return (
    <Popover
      label="Filter"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <IconButton
          size="sm"
          label={count > 0 ? `Filter, ${count} set` : 'Filter'}
          title="Filter"
          icon={<ListFilter />}
          className={count > 0 ? 'bg-pressed' : 'text-muted'}
        />
      }
    >
      <Fields inbox={inbox} />
    </Popover>
  )
}

function Fields({ inbox: { filter, setFilter } }: { inbox: Inbox }) {
  const tags = useTagsToPick().data?.tags ?? []
  const accounts = useAccounts().data?.accounts ?? []
  const { campaigns = [] } = useCampaignsById()
  const { members } = useMembers()
  const fields: { name: keyof InboxFilter & string; label: string; all: string; options: [string, string][] }[] = [
    {
      name: 'label',
      label: 'Label',
      all: 'All labels',
      options: REPLY_LABELS.map((label) => [label, LABEL_NAMES[label]]),
    },
    { name: 'tag', label: 'Tag', all: 'All tags', options: tags.map(({ id, name }) => [id, name]) },
    {
      name: 'assigneeId',
      label: 'Assigned to',
      all: 'Anyone',
      options: [
        ['none', 'Nobody'],
        ...members.map(({ id, name, isYou }): [string, string] => (isYou ? ['me', 'You'] : [id, name])),
      ],
    },
    {
      name: 'xAccountId',
      label: 'X account',
      all: 'All accounts',
      options: accounts.map(({ id, handle }) => [id, `@${handle}`]),
    },
    {
      name: 'campaignId',
      label: 'Campaign',
      all: 'All campaigns',
      options: campaigns.map(({ id, name }) => [id, name]),
    },
  ]
  return (
    <div className="grid gap-3 p-3">
      {fields
        // Choosing from a single account would not filter anything.
        .filter(({ name, options }) => name !== 'xAccountId' || options.length > 1 || filter.xAccountId)
        .map(({ name, label, all, options }) => (
          <Field key={name} label={label}>
            <Select
              value={filter[name] ?? ''}
              options={[{ value: '', label: all }, ...options.map(([value, text]) => ({ value, label: text }))]}
              onChange={(event) => setFilter({ [name]: event.currentTarget.value || undefined })}
            />
          </Field>
        ))}
    </div>
  )
}
