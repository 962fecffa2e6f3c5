import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Suppression, SuppressionReason } from '@x-automated/contract/leads/suppressions'
import { Ban, Search, Upload, UserMinus, X } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { usePageCursors } from '../../../page-cursors'
import { type Column, PagedTable } from '../../../paged-table'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useDialogs } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { useIsOffered } from '../../identity/people/use-role'
import { AddPeopleDialog } from './add-people-dialog'
import { ImportPeopleDialog } from './import-people-dialog'

const PAGE_SIZE = 50

const REASONS: Record<SuppressionReason, string> = {
  replied_stop: 'Opted out',
  opted_out: 'Opted out elsewhere',
  manual: 'Added manually',
  import: 'Imported',
}

const PERIODS = [
  { value: '', label: 'Any time' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
]

/** '@ada', or 'X user ID 4242' if only the id is known. */
function nameOf({ twitterHandle, xUserId }: Pick<Suppression, 'twitterHandle' | 'xUserId'>): string {
  return twitterHandle ? `@${twitterHandle}` : `X user ID ${xUserId}`
}

const columns: Column<Suppression>[] = [
  {
    name: 'Handle',
    bare: true,
    cell: ({ twitterHandle, xUserId, handleLostAt }) => (
      <span>
        <span className="font-strong">{nameOf({ twitterHandle, xUserId })}</span>
        {twitterHandle && handleLostAt && <span className="text-muted"> · changed, new handle unknown</span>}
      </span>
    ),
  },
  { name: 'Reason', cell: ({ reason }) => REASONS[reason] },
  { name: 'Note', className: 'max-w-xs wrap-anywhere', cell: ({ note }) => note ?? '–' },
  {
    name: 'Added',
    cell: ({ createdAt, by }) => (
      <span>
        <DateTime value={createdAt} precision="day" />
        {by && <span className="text-muted"> by {by.name}</span>}
      </span>
    ),
  },
]

/** The workspace's suppression list. */
export function SuppressionsTab() {
  const refresh = useRefresh()
  const mayChange = useIsOffered('member')
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const dialogs = useDialogs<typeof AddPeopleDialog | typeof ImportPeopleDialog>()
  const [reason, setReason] = useState<SuppressionReason>()
  const [withinDays, setWithinDays] = useState<number>()
  const q = useDebouncedValue(text.trim()) || undefined
  const { cursorOf, keep, clear } = usePageCursors(`${q} ${reason} ${withinDays}`)
  const isFiltered = q !== undefined || reason !== undefined || withinDays !== undefined
  const list = useQuery(
    api.suppressions.list.queryOptions({
      input: { q, reason, withinDays, page, pageSize: PAGE_SIZE, cursor: cursorOf(page) },
      placeholderData: keepPreviousData,
    }),
  )
  const onChanged = () => {
    clear()
    return refresh(api.suppressions, api.leads, api.messages, api.campaigns)
  }
  const remove = useRemoveSuppression(onChanged)
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <Input
            type="search"
            aria-label="Search by handle"
            placeholder="Search by handle"
            leading={<Search />}
            className="w-full sm:w-56"
            maxLength={50}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setPage(1)
            }}
          />
          <Select
            aria-label="Reason"
            className="max-sm:flex-1 sm:w-40"
            value={reason ?? ''}
            options={[
              { value: '', label: 'All reasons' },
              ...Object.entries(REASONS).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => {
              setReason((event.currentTarget.value || undefined) as SuppressionReason | undefined)
              setPage(1)
            }}
          />
          <Select
            aria-label="Added"
            className="max-sm:flex-1 sm:w-36"
            value={String(withinDays ?? '')}
            options={PERIODS}
            onChange={(event) => {
              setWithinDays(Number(event.currentTarget.value) || undefined)
              setPage(1)
            }}
          />
        </div>
        {mayChange && (
          <div className="flex gap-2">
            <Button icon={<Upload />} onClick={() => dialogs.show(ImportPeopleDialog)}>
              Import
            </Button>
            <Button icon={<UserMinus />} onClick={() => dialogs.show(AddPeopleDialog)}>
              Add people
            </Button>
          </div>
        )}
      </div>
      <p className="min-h-5 text-muted" role="status" data-numeric>
        {list.data && `${formatCount(list.data.total, 'person', 'people')} ${isFiltered ? 'found' : 'suppressed'}`}
      </p>
      <PagedTable
        label="Suppression list"
        query={list}
        rows={list.data?.suppressions}
        columns={[
          ...columns,
          mayChange && {
            name: 'Actions',
            hidden: true,
            end: true,
            corner: true,
            cell: (entry) => (
              <IconButton
                icon={<X />}
                size="sm"
                label={`Remove ${nameOf(entry)} from the list`}
                disabled={remove.isPending}
                onClick={() => remove.mutate(entry)}
              />
            ),
          },
        ]}
        loading="Loading the suppression list…"
        failure={(error) => errorText(error, 'Failed to load the suppression list. Please try again.')}
        page={page}
        pageSize={PAGE_SIZE}
        onChange={(next) => {
          if (!list.isPlaceholderData) keep(page + 1, list.data?.cursor)
          setPage(next)
        }}
        noun="people"
        empty={
          <EmptyState icon={<Ban />} title={isFiltered ? 'No matches' : 'No one suppressed yet'}>
            {isFiltered
              ? 'Try fewer letters, or another reason or time.'
              : "People who opt out are added automatically. Add anyone else who doesn't want to hear from you."}
          </EmptyState>
        }
      />
      {dialogs.render((PeopleDialog, props) => (
        <PeopleDialog onDone={onChanged} {...props} />
      ))}
    </div>
  )
}

/** Removes someone from the list, with Undo. */
function useRemoveSuppression(onSettled: () => Promise<unknown>) {
  const putBack = useMutation(
    api.suppressions.create.mutationOptions({
      onSettled,
      onError: (error) => toast.error(errorText(error, 'Failed to undo. Please try again.')),
    }),
  )
  return useMutation({
    mutationFn: ({ id }: Suppression) => api.suppressions.remove.call({ id }),
    onSuccess: (_, { twitterHandle, xUserId, reason, note }) => {
      const handles = twitterHandle ? [twitterHandle] : undefined
      const entry = { handles, xUserId: xUserId ?? undefined, reason, note: note ?? undefined }
      const onClick = () => putBack.mutate(entry)
      toast.success(`${nameOf({ twitterHandle, xUserId })} can be messaged again.`, {
        action: { label: 'Undo', onClick },
      })
    },
    onError: (error) => toast.error(errorText(error, 'Failed to remove them. Please try again.')),
    onSettled,
  })
}
