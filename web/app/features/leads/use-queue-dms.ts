import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Lead, ListedLead } from '@x-automated/contract/leads'
import { api, client, failureText } from '../../api'
import { toast } from '../../ui/toast'
import { useFailureToast } from '../billing/use-failure-toast'
import { runAndSum } from './bulk-runs'
import { type Picked, pickedCount } from './lead-selection'
import { canBeMessaged } from './lead-status'

/** What is sent where nobody wrote anything else (specification §9). */
export const DEFAULT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'

interface Order {
  picked: Picked
  message: string
}

type LeadsPage = { leads: ListedLead[] }
const listKey = () => api.leads.list.key({ type: 'query' })

function toastQueued(queued: number): void {
  toast.success(queued === 1 ? 'DM has been queued for sending' : `${queued} DMs have been queued for sending`)
}

/** What is said of those who were picked and get no message; null: all get one. */
export function skippedText(picked: Picked, queued: number): string | null {
  const leftOut = pickedCount(picked) - queued
  return leftOut > 0 ? `${leftOut.toLocaleString('en-US')} left out: contacted already or may not be contacted.` : null
}

/** Queues a message to each lead. They show as queued at once, and as before where that fails. */
export function useQueueDms() {
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  return useMutation({
    mutationFn: ({ picked, message }: Order) =>
      runAndSum(
        'Queueing',
        picked,
        (selection) => client.leads.queue({ ...selection, message }),
        ({ queued }) => queued,
        toastQueued,
      ),
    onMutate: async ({ picked }) => {
      await queries.cancelQueries({ queryKey: listKey() })
      const wanted = 'ids' in picked ? new Set(picked.ids) : null
      return markQueued(queries, (lead) => canBeMessaged(lead) && (wanted === null || wanted.has(lead.id)))
    },
    onSuccess: ({ sum: queued, isStopped }, { picked }, before) => {
      const single = 'ids' in picked && picked.ids.length === 1
      if (queued === 0) {
        restore(queries, before)
        // Where it was stopped, nobody knows of those whom it did not reach.
        if (!isStopped)
          toast.error(
            single
              ? 'Failed to create DM record: this lead was contacted already or may not be contacted.'
              : 'Failed to create DM records: these leads were contacted already or may not be contacted.',
          )
      } else {
        toastQueued(queued)
        const words = skippedText(picked, queued)
        if (words && !isStopped) toast.info(words)
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
    onSettled() {
      void queries.invalidateQueries({ queryKey: api.billing.overview.key() })
      return queries.invalidateQueries({ queryKey: api.leads.key() })
    },
  })
}

/** @returns the statuses as they were, by the leads' ids */
function markQueued(queries: QueryClient, isMeant: (lead: ListedLead) => boolean): Map<string, Lead['dmStatus']> {
  const before = new Map<string, Lead['dmStatus']>()
  changeLeads(queries, (lead) => {
    if (!isMeant(lead)) return lead
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
