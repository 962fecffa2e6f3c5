import { useInfiniteQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { OfferedLead } from '@x-automated/contract/leads/leads'
import type { MessengerFilter } from '@x-automated/contract/outreach/messages'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { EmptyState } from '../../../ui/empty-state'
import { Field, FieldError } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { canBeMessaged, filterStatusOf } from '../../leads/leads/lead-status'
import { LeadChecklist } from './lead-checklist'

const PAGE_SIZE = 100
const FILTERS: readonly { value: MessengerFilter; label: string }[] = [
  { value: 'all', label: 'All Leads' },
  { value: 'pending', label: 'Pending' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
]
const NONE: ReadonlyMap<string, OfferedLead> = new Map()

/** The Messenger's leads by status, and which of them are selected. */
export function useLeadChecklist() {
  const [status, setStatus] = useState<MessengerFilter>('all')
  const [picked, setPicked] = useState(NONE)
  const [allowRepeat, setAllowRepeat] = useState(false)
  /** The user has edited the field or tried to send, so show validation errors. */
  const [isTouched, setTouched] = useState(false)
  const leads = useInfiniteQuery({
    queryKey: [...api.messages.leads.key(), 'checklist', status],
    queryFn: ({ pageParam, signal }) =>
      client.messages.leads({ status, page: 1, pageSize: PAGE_SIZE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor ?? undefined,
  })
  const reset = () => {
    setPicked(NONE)
    setTouched(false)
  }
  return {
    leads,
    // Those who can be messaged come first on each page, so that nothing moves when the next one loads.
    shown: leads.data?.pages.flatMap((page) => messageableFirst(page.leads)) ?? [],
    total: leads.data?.pages[0]?.total ?? 0,
    status,
    setStatus(next: MessengerFilter) {
      setStatus(next)
      reset()
    },
    picked,
    pick(changed: readonly OfferedLead[], on: boolean) {
      setPicked((before) => {
        const after = new Map(before)
        for (const lead of changed) on ? after.set(lead.id, lead) : after.delete(lead.id)
        return after
      })
      setTouched(true)
    },
    allowRepeat,
    setAllowRepeat(allow: boolean) {
      setAllowRepeat(allow)
      if (!allow) setPicked((before) => new Map([...before].filter(([, lead]) => canBeMessaged(lead))))
    },
    isTouched,
    touch: () => setTouched(true),
    reset,
  }
}

function messageableFirst(leads: readonly OfferedLead[]): OfferedLead[] {
  return [...leads.filter(canBeMessaged), ...leads.filter((lead) => !canBeMessaged(lead))]
}

interface LeadsToMessageProps {
  checklist: ReturnType<typeof useLeadChecklist>
  disabled: boolean
}

/** Selects the leads to message. */
export function LeadsToMessage({ checklist, disabled }: LeadsToMessageProps) {
  const { leads, shown: visible, total, status, picked, pick, allowRepeat } = checklist
  const canPick = (lead: OfferedLead) =>
    canBeMessaged(lead) || (allowRepeat && !lead.suppressed && filterStatusOf(lead) === 'sent')
  const pickable = visible.filter(canPick)
  const allPicked = pickable.length > 0 && pickable.every(({ id }) => picked.has(id))
  return (
    <section aria-label="Leads" data-not-stored className="grid min-w-0 gap-3">
      <Field label="Filter leads">
        <Select
          value={status}
          disabled={disabled}
          options={FILTERS}
          onChange={(event) => checklist.setStatus(event.currentTarget.value as MessengerFilter)}
        />
      </Field>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="text-base" data-numeric>
          Select Leads ({formatNumber(total)})
        </h2>
        <Button
          size="sm"
          variant="ghost"
          disabled={disabled || pickable.length === 0}
          onClick={() => pick(allPicked ? [...picked.values()] : pickable, !allPicked)}
        >
          {allPicked ? 'Deselect All' : 'Select All'}
        </Button>
      </div>
      {leads.isPending ? (
        <>
          <LoadingText>Loading leads…</LoadingText>
          <Skeleton className="h-87.5" />
        </>
      ) : total === 0 ? (
        <EmptyState icon={<Users />} title="No leads found with the selected filter." />
      ) : (
        <LeadChecklist
          leads={visible}
          total={total}
          picked={new Set(picked.keys())}
          canPick={canPick}
          onPick={(lead, on) => pick([lead], on)}
          loadMore={leads.hasNextPage && !leads.isFetching ? () => void leads.fetchNextPage() : undefined}
          disabled={disabled}
        />
      )}
      {checklist.isTouched && picked.size === 0 && <FieldError>Please select at least one lead to message</FieldError>}
      <Checkbox
        label="Include leads already contacted"
        hint="Queued and suppressed leads are always skipped."
        checked={allowRepeat}
        disabled={disabled}
        onChange={(event) => checklist.setAllowRepeat(event.currentTarget.checked)}
      />
      {visible.length < total && (
        <p className="text-muted" data-numeric>
          {formatNumber(visible.length)} of {formatCount(total, 'lead')} loaded. Scroll the list for more.
        </p>
      )}
    </section>
  )
}
