import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Lead, ListedLead } from '@x-automated/contract/leads/leads'
import { api, client, failureText } from '../../../api'
import { toast } from '../../../ui/toast'
import { HOLD_SECONDS, undoAction } from '../../../undo-queueing'
import { useFailureToast } from '../../platform/billing/use-failure-toast'
import { useStartJob } from '../../platform/jobs/use-start-job'
import { isSingle, type Picked, selectionsOf } from './lead-selection'
import { canBeMessaged } from './lead-status'

interface Order {
  picked: Picked
  message: string
}

type LeadsPage = { leads: ListedLead[] }
const listKey = () => api.leads.list.key({ type: 'query' })

function toastQueued(onUndo: () => void): void {
  toast.success('DM has been queued for sending', { action: undoAction(onUndo) })
}

function undoneText(undone: number): string {
  if (undone === 0) return 'Too late to undo: the messages are being sent.'
  return `Undone: ${formatCount(undone, 'DM')} won't be sent.`
}

/** Queues a message to each lead. Leads appear as queued immediately. A failure reverts this. */
export function useQueueDms() {
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const startJobs = useStartJob()
  const undo = useMutation({
    mutationFn: (undoId: string) => client.leads.undoQueue({ undoId }),
    onSuccess: ({ undone }) => toast.info(undoneText(undone)),
    onError: (error) => showFailure(error, failureText(error, 'Failed to undo', 'Failed to undo')),
    onSettled: () => invalidateLeads(queries),
  })
  return useMutation({
    async mutationFn({ picked, message }: Order) {
      const [first] = selectionsOf(picked)
      if (!first || !isSingle(picked)) {
        // One job for the selection, so the plan limit is checked once. The job skips leads that were already messaged.
        const selection = 'matching' in picked ? { filter: { ...picked.matching, suppressed: false } } : first
        if (selection) await startJobs([{ kind: 'queue', ...selection, message, holdSeconds: HOLD_SECONDS }])
        return null
      }
      const undoId = crypto.randomUUID()
      const { queued } = await client.leads.queue({ ...first, message, holdSeconds: HOLD_SECONDS, undoId })
      return { queued, undoId }
    },
    onMutate: async ({ picked }) => {
      await queries.cancelQueries({ queryKey: listKey() })
      const wanted = 'ids' in picked ? new Set(picked.ids) : null
      return markQueued(queries, (lead) => canBeMessaged(lead) && (wanted === null || wanted.has(lead.id)))
    },
    onSuccess: (result, _, before) => {
      // A job reports its result itself.
      if (result?.queued === 0) {
        restore(queries, before)
        toast.error("Failed to create DM record: this lead was already contacted or can't be contacted.")
      } else if (result) toastQueued(() => undo.mutate(result.undoId))
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

/** Shows the selected leads as queued. @returns their previous statuses by lead id */
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
