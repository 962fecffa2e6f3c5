import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Lead } from '@x-automated/contract/leads'
import { api, errorCode, errorWords } from '../../api'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'

type LeadsPage = { leads: Lead[]; total: number }

/** Asks, then deletes a lead: it is gone at once, and back where that fails. */
export function useRemoveLead(): (lead: Lead) => Promise<void> {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const listKey = api.leads.list.key({ type: 'query' })
  const remove = useMutation(
    api.leads.remove.mutationOptions({
      onMutate: async ({ id }) => {
        await queries.cancelQueries({ queryKey: listKey })
        const before = queries.getQueriesData<LeadsPage>({ queryKey: listKey })
        queries.setQueriesData<LeadsPage>({ queryKey: listKey }, (page) => {
          if (!page?.leads.some((lead) => lead.id === id)) return page
          return { ...page, leads: page.leads.filter((lead) => lead.id !== id), total: page.total - 1 }
        })
        return before
      },
      onSuccess: () => toast.success('Lead deleted'),
      onError: (error, _input, before) => {
        // Somebody else was first: it is gone as it should be.
        if (errorCode(error) === 'LEAD_NOT_FOUND') return
        for (const [key, page] of before ?? []) queries.setQueryData(key, page)
        toast.error(`Failed to delete lead: ${errorWords(error)}`)
      },
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: api.leads.key() }),
          queries.invalidateQueries({ queryKey: api.lists.key() }),
        ]),
    }),
  )
  return async (lead) => {
    const sure = await confirm({
      title: `Delete @${lead.twitterHandle}?`,
      body: 'Are you sure you want to delete this lead? It is taken out of every list too. Messages that were sent stay sent.',
      confirm: 'Delete lead',
      danger: true,
    })
    if (sure) remove.mutate({ id: lead.id })
  }
}
