import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import { OPENERS_PAGE, type Opener } from '@x-automated/contract/outreach/openers'
import { Check, ChevronLeft, ChevronRight, Sparkles } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { Select } from '../../../ui/select'
import { LoadingText } from '../../../ui/skeleton'
import { Table } from '../../../ui/table'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { OpenerRow } from './opener-row'
import { inParts } from './opener-text'
import { useSeen } from './use-seen'

const FILTERS = [
  { value: 'all', label: 'All openers' },
  { value: 'draft', label: 'Waiting for approval' },
  { value: 'approved', label: 'Approved' },
  { value: 'failed', label: 'Not written' },
] as const satisfies readonly { value: 'all' | Opener['status']; label: string }[]

const COLUMNS = ['Person', 'Opener', 'From the profile', { name: 'Actions', hidden: true, end: true }]

/** Pages of a campaign's openers. Members edit, rewrite or approve each one. */
export function OpenersTable({ campaignId: id, canChange }: { campaignId: string; canChange: boolean }) {
  const [status, setStatus] = useState<(typeof FILTERS)[number]['value']>('all')
  /** The cursors of the pages up to this one. */
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  const query = useQuery(
    api.openers.list.queryOptions({
      input: { id, status: status === 'all' ? undefined : status, pageSize: OPENERS_PAGE, cursor: cursors.at(-1) },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  )
  const focusFallback = useFocusFallback<HTMLElement>()
  const seen = useSeen()
  const rows = query.data?.openers
  const counts = query.data?.counts
  const { remove } = seen
  // biome-ignore lint/correctness/useExhaustiveDependencies: `remove` only uses a state's setter
  useEffect(() => {
    const settled = rows?.filter((opener) => opener.status !== 'draft').map((opener) => opener.id) ?? []
    if (settled.length > 0) remove(settled)
  }, [rows])

  // The openers on this page no longer match the status filter.
  const isPastEnd = rows?.length === 0 && cursors.length > 1 && !query.isPlaceholderData
  useEffect(() => {
    if (isPastEnd) setCursors([undefined])
  }, [isPastEnd])
  /** Opens another page, and scrolls to its top. */
  const turn = (pages: typeof cursors) => {
    setCursors(pages)
    focusFallback.ref.current?.focus({ preventScroll: true })
    focusFallback.ref.current?.scrollIntoView()
  }
  if (query.isError && !query.data)
    return <QueryError query={query} fallback="Failed to load the openers. Please try again." />
  const total = counts && (status === 'all' ? counts.draft + counts.approved + counts.failed : counts[status])
  const first = (cursors.length - 1) * OPENERS_PAGE + 1
  return (
    <section {...focusFallback} className="grid scroll-mt-20 grid-cols-1 gap-4" aria-labelledby="openers-title">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="openers-title" className="text-lg">
          Openers
        </h2>
        <Select
          aria-label="Status"
          className="w-52"
          options={FILTERS}
          value={status}
          onChange={(event) => {
            setStatus(event.currentTarget.value as typeof status)
            setCursors([undefined])
          }}
        />
      </div>
      {canChange && counts && counts.draft > 0 && <ApproveAll campaignId={id} seen={seen} waiting={counts.draft} />}
      {!rows && <LoadingText>Loading openers…</LoadingText>}
      {rows?.length === 0 && !query.isPlaceholderData ? (
        <EmptyState icon={<Sparkles />} title={status === 'all' ? 'No openers yet' : 'No openers with this status'}>
          {status === 'all' && canChange ? 'Write them above. You approve each one before it is sent.' : null}
        </EmptyState>
      ) : (
        <Table label="Openers" columns={COLUMNS} stale={query.isPlaceholderData}>
          {rows?.map((opener) => (
            <OpenerRow
              key={opener.id}
              opener={opener}
              canChange={canChange}
              onSeen={seen.add}
              onChanged={() => remove([opener.id])}
            />
          ))}
        </Table>
      )}
      {total !== undefined && rows && (cursors.length > 1 || query.data?.cursor) && (
        <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted" data-numeric>
            {formatNumber(first)}–{formatNumber(first + Math.max(0, rows.length - 1))} of {formatCount(total, 'opener')}
          </p>
          <div className="flex gap-1">
            <Button
              size="sm"
              icon={<ChevronLeft aria-hidden />}
              disabled={cursors.length === 1}
              onClick={() => turn(cursors.slice(0, -1))}
            >
              Previous
            </Button>
            <Button
              size="sm"
              disabled={!query.data?.cursor || query.isPlaceholderData}
              onClick={() => turn([...cursors, query.data?.cursor ?? undefined])}
            >
              Next
              <ChevronRight aria-hidden />
            </Button>
          </div>
        </nav>
      )}
    </section>
  )
}

interface ApproveAllProps {
  campaignId: string
  seen: ReturnType<typeof useSeen>
  /** The number of openers without approval. */
  waiting: number
}

/** Approves all openers together, after all of them have been visible. */
function ApproveAll({ campaignId, seen, waiting }: ApproveAllProps) {
  const { versions, remove } = seen
  const approve = useAction(
    async () => {
      let approved = 0
      const changed: string[] = []
      for (const openers of inParts(versions, OPENERS_PAGE)) {
        const result = await client.openers.approve({ id: campaignId, openers })
        approved += result.approved
        changed.push(...result.changed)
      }
      return { approved, changed }
    },
    {
      done: ({ approved, changed }) =>
        changed.length > 0
          ? `Approved ${formatCount(approved, 'opener')}. ${formatNumber(changed.length)} ${pluralize(changed.length, 'has changed and still needs', 'have changed and still need')} approval.`
          : `Approved ${formatCount(approved, 'opener')}.`,
      // Openers that have changed must be read again.
      onSuccess: () => remove(versions.map(({ id }) => id)),
      failed: 'Failed to approve all openers. Please try again.',
      refetches: [api.openers.list],
    },
  )
  const isReady = versions.length >= waiting
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        variant={isReady ? 'primary' : 'secondary'}
        icon={<Check />}
        disabled={!isReady}
        loading={approve.isPending}
        onClick={() => approve.run()}
      >
        Approve all {formatNumber(waiting)}
      </Button>
      {!isReady && (
        <p className="text-muted" data-numeric>
          You have seen {formatNumber(versions.length)} of {formatNumber(waiting)}. Scroll through all pages to approve
          them together.
        </p>
      )}
    </div>
  )
}
