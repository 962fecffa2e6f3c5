import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Lead, ListedLead } from '@x-automated/contract/leads/leads'
import { api, client, failureText } from '../../../api'
import { toast } from '../../../ui/toast'
import { HOLD_SECONDS, undoAction } from '../../../undo-queueing'
import { useFailureToast } from '../../platform/billing/use-failure-toast'
import { runAndSum } from './bulk-runs'
import { type Picked, pickedCount } from './lead-selection'
import { canBeMessaged } from './lead-status'

export const DEFAULT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'

interface Order {
  picked: Picked
  message: string
}

type LeadsPage = { leads: ListedLead[] }
const listKey = () => api.leads.list.key({ type: 'query' })

function toastQueued(queued: number, onUndo: () => void): void {
  toast.success(
    queued === 1 ? 'DM has been queued for sending' : `${formatNumber(queued)} DMs have been queued for sending`,
    { action: undoAction(onUndo) },
  )
}

function undoneText(undone: number): string {
  if (undone === 0) return 'Too late to undo: the messages are being sent.'
  return `Undone: ${formatCount(undone, 'DM')} won’t be sent.`
}

/** Says how many selected leads were skipped, or null. */
export function skippedText(picked: Picked, queued: number): string | null {
  const skipped = pickedCount(picked) - queued
  return skipped > 0 ? `${formatNumber(skipped)} skipped: already contacted or not contactable.` : null
}

/** Queues a message to each lead. Leads show as queued immediately, and revert on failure. */
export function useQueueDms() {
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const undo = useMutation({
    mutationFn: (undoId: string) => client.leads.undoQueue({ undoId }),
    onSuccess: ({ undone }) => toast.info(undoneText(undone)),
    onError: (error) => showFailure(error, failureText(error, 'Failed to undo', 'Failed to undo')),
    onSettled: () => invalidateLeads(queries),
  })
  return useMutation({
    async mutationFn({ picked, message }: Order) {
      const undoId = crypto.randomUUID()
      const result = await runAndSum(
        'Queueing',
        picked,
        (selection) => client.leads.queue({ ...selection, message, holdSeconds: HOLD_SECONDS, undoId }),
        ({ queued }) => queued,
        (queued) => toastQueued(queued, () => undo.mutate(undoId)),
      )
      return { ...result, undoId }
    },
    onMutate: async ({ picked }) => {
      await queries.cancelQueries({ queryKey: listKey() })
      const wanted = 'ids' in picked ? new Set(picked.ids) : null
      return markQueued(queries, (lead) => canBeMessaged(lead) && (wanted === null || wanted.has(lead.id)))
    },
    onSuccess: ({ sum: queued, isStopped, undoId }, { picked }, before) => {
      const single = 'ids' in picked && picked.ids.length === 1
      if (queued === 0) {
        restore(queries, before)
        // After a stop, the leads that were not reached are unknown.
        if (!isStopped)
          toast.error(
            single
              ? "Failed to create DM record: this lead was already contacted or can't be contacted."
              : "Failed to create DM records: these leads were already contacted or can't be contacted.",
          )
      } else {
        toastQueued(queued, () => undo.mutate(undoId))
        const skipped = skippedText(picked, queued)
        if (skipped && !isStopped) toast.info(skipped)
      }
    },
    onError: (error, { picked }, before) => {
      if (before) restore(queries, before)
      const single = 'ids' in picked && picked.ids.length === 1
      showFailure(
        error,
        failureText(
          error,
          single ? 'Failed to queue DM' : 'Failed to queue DMs',
          'An unexpected error occurred while queueing the DMs',
        ),
      )
    },
    onSettled: () => invalidateLeads(queries),
  })
}

/** Refetches leads and the plan's usage. */
function invalidateLeads(queries: QueryClient): Promise<void> {
  void queries.invalidateQueries({ queryKey: api.billing.overview.key() })
  return queries.invalidateQueries({ queryKey: api.leads.key() })
}

/** @returns the previous statuses by lead id */
function markQueued(queries: QueryClient, isSelected: (lead: ListedLead) => boolean): Map<string, Lead['dmStatus']> {
  const before = new Map<string, Lead['dmStatus']>()
  changeLeads(queries, (lead) => {
    if (!isSelected(lead)) return lead
    before.set(lead.id, lead.dmStatus)
    return { ...lead, dmStatus: 'queued' }
  })
  return before
}

function restore(queries: QueryClient, before: Map<string, Lead['dmStatus']>): void {
  changeLeads(queries, (lead) => ({ ...lead, dmStatus: before.get(lead.id) ?? lead.dmStatus }))
}

function changeLeads(queries: QueryClient, change: (lead: ListedLead) => ListedLead): void {
  queries.setQueriesData<LeadsPage>(
    { queryKey: listKey() },
    (page) => page && { ...page, leads: page.leads.map(change) },
  )
}
