import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Suppression, SuppressionReason } from '@x-automated/contract/leads/suppressions'
import { Ban, Search, Upload, UserMinus, X } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { Pager } from '../../../ui/pager'
import { SkeletonRows } from '../../../ui/skeleton'
import { ActionsTh, Table, Td, Th, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useIsOffered } from '../../identity/people/use-role'
import { AddPeopleDialog } from './add-people-dialog'
import { ImportPeopleDialog } from './import-people-dialog'

const PAGE_SIZE = 50

export const REASONS: Record<SuppressionReason, string> = {
  opted_out: 'Opted out',
  replied_stop: 'Asked to stop',
  manual: 'Added manually',
  import: 'Imported',
}

/** The workspace's suppression list. */
export function SuppressionsTab() {
  const queries = useQueryClient()
  const mayChange = useIsOffered('member')
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  /** Cursors of visited pages, so that deep pages stay fast. */
  const [cursors, setCursors] = useState<Record<number, string>>({})
  const [dialog, setDialog] = useState<'add' | 'import' | null>(null)
  const q = useDebouncedValue(text.trim())
  const list = useQuery(
    api.suppressions.list.queryOptions({
      input: { ...(q && { q }), page, pageSize: PAGE_SIZE, ...(cursors[page] && { cursor: cursors[page] }) },
      placeholderData: keepPreviousData,
    }),
  )
  const changed = () => {
    setCursors({})
    return Promise.all([
      queries.invalidateQueries({ queryKey: api.suppressions.key() }),
      queries.invalidateQueries({ queryKey: api.leads.key() }),
      queries.invalidateQueries({ queryKey: api.messages.key() }),
      queries.invalidateQueries({ queryKey: api.campaigns.key() }),
    ])
  }
  const turn = (next: number) => {
    const cursor = list.data?.cursor
    if (next === page + 1 && cursor && !list.isPlaceholderData) setCursors({ ...cursors, [next]: cursor })
    setPage(next)
  }
  const data = list.data
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Input
          type="search"
          aria-label="Search by handle"
          placeholder="Search by handle"
          leading={<Search aria-hidden />}
          className="w-full sm:w-72"
          maxLength={50}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setPage(1)
            setCursors({})
          }}
        />
        {mayChange && (
          <div className="flex gap-2">
            <Button icon={<Upload aria-hidden />} onClick={() => setDialog('import')}>
              Import
            </Button>
            <Button variant="primary" icon={<UserMinus aria-hidden />} onClick={() => setDialog('add')}>
              Add people
            </Button>
          </div>
        )}
      </div>
      <p className="min-h-5 text-muted" role="status" data-numeric>
        {data && (
          <>
            {formatCount(data.total, 'person', 'people')}
            {q ? ' found' : ' suppressed'}
          </>
        )}
      </p>
      {list.isError && !data ? (
        <QueryError query={list} fallback="Failed to load the suppression list. Please try again." />
      ) : data?.total === 0 ? (
        <EmptyState icon={<Ban aria-hidden />} title={q ? 'No matches' : 'No one suppressed yet'}>
          {q
            ? 'Try fewer letters.'
            : "People who opt out are added automatically. Add anyone else who doesn't want to hear from you."}
        </EmptyState>
      ) : (
        <SuppressionsTable suppressions={data?.suppressions} stale={list.isPlaceholderData} onChanged={changed} />
      )}
      <Pager page={page} pageSize={PAGE_SIZE} query={list} onChange={turn} noun="people" />
      <AddPeopleDialog open={dialog === 'add'} onClose={() => setDialog(null)} onDone={changed} />
      <ImportPeopleDialog open={dialog === 'import'} onClose={() => setDialog(null)} onDone={changed} />
    </div>
  )
}

interface SuppressionsTableProps {
  /** Undefined while they load. */
  suppressions: readonly Suppression[] | undefined
  stale: boolean
  onChanged: () => Promise<unknown>
}

function SuppressionsTable({ suppressions, stale, onChanged }: SuppressionsTableProps) {
  const mayChange = useIsOffered('member')
  const putBack = useMutation(
    api.suppressions.create.mutationOptions({
      onSettled: onChanged,
      onError: (error) => toast.error(errorText(error, 'Failed to undo. Please try again.')),
    }),
  )
  const remove = useMutation({
    mutationFn: (one: Suppression) => api.suppressions.remove.call({ id: one.id }),
    onSuccess: (_, { twitterHandle, reason, note }) =>
      toast.success(`@${twitterHandle} can be messaged again.`, {
        action: {
          label: 'Undo',
          onClick: () => putBack.mutate({ handles: [twitterHandle], reason, ...(note && { note }) }),
        },
      }),
    onError: (error) => toast.error(errorText(error, 'Failed to remove them. Please try again.')),
    onSettled: onChanged,
  })
  return (
    <Table label="Suppression list" stale={stale}>
      <thead>
        <tr>
          <Th>Handle</Th>
          <Th>Reason</Th>
          <Th>Note</Th>
          <Th>Added</Th>
          {mayChange && <ActionsTh end />}
        </tr>
      </thead>
      <tbody>
        {suppressions ? (
          suppressions.map((one) => (
            <Tr key={one.id}>
              <Td>
                <span className="font-strong">@{one.twitterHandle}</span>
              </Td>
              <Td label="Reason">
                <Badge>{REASONS[one.reason]}</Badge>
              </Td>
              <Td label="Note" className="max-w-xs wrap-anywhere">
                {one.note ?? '–'}
              </Td>
              <Td label="Added">
                <span>
                  <DateTime value={one.createdAt} precision="day" />
                  {one.by && <span className="text-muted"> by {one.by.name}</span>}
                </span>
              </Td>
              {mayChange && (
                <Td corner end>
                  <IconButton
                    size="sm"
                    label={`Remove @${one.twitterHandle} from the list`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(one)}
                  >
                    <X aria-hidden />
                  </IconButton>
                </Td>
              )}
            </Tr>
          ))
        ) : (
          <SkeletonRows columns={mayChange ? 5 : 4} />
        )}
      </tbody>
    </Table>
  )
}
