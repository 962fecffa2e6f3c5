import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import type { NewBulkOrder } from '@x-automated/contract/outreach/bulk'
import { api, client, errorText } from '../../../api'
import { sessionStorage } from '../../../browser-storage'
import { session } from '../../../session'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { useStartJob } from '../../platform/jobs/use-start-job'
import { isSingle, type Picked, type Selection, selectionsOf } from './lead-selection'
import {
  clearRemoval,
  type Deletion,
  isRejected,
  lastDeletion,
  loadRemoval,
  nextPollMs,
  type Removal,
  saveRemoval,
  settle,
  undoableParts,
  undoneText,
  undoRemoval,
  withDeletion,
  withSettled,
} from './removal'

interface Bulk<Input, Answer> {
  /** Introduces an error: 'Failed to delete leads'. */
  failed: string
  /** Changes one lead. */
  call: (selection: Selection, input: Input) => Promise<Answer>
  /** Reports what the call has done. */
  announce: (answer: Answer, input: Input) => void
  /** What a job does to several leads. */
  orders: (input: Input) => Order[]
  /** Closes the dialog, once the call is answered or the job has started. */
  onClose?: () => void
}

/** A job without its leads. */
type Order = NewBulkOrder extends infer O ? (O extends NewBulkOrder ? Omit<O, 'leadIds' | 'filter'> : never) : never

/** Changes one lead by a call, or several by a job. */
function useBulk<Input, Answer>({ failed, call, announce, orders, onClose = () => {} }: Bulk<Input, Answer>) {
  const refresh = useRefresh()
  const startJobs = useStartJob()
  return useMutation({
    mutationFn: async ({ picked, input }: { picked: Picked; input: Input }) => {
      const selections = selectionsOf(picked)
      const [first] = selections
      if (first && isSingle(picked)) announce(await call(first, input), input)
      else
        await startJobs(
          orders(input).flatMap((order) => selections.map((selection) => ({ ...order, ...selection }) as NewBulkOrder)),
        )
      onClose()
    },
    onError: (error) => toast.error(`${failed}: ${errorText(error, 'Unknown error')}`),
    onSettled: () => refresh(api.leads, api.lists, api.tags, api.suppressions, api.messages),
  })
}

export function useTagLeads(onClose?: () => void) {
  return useBulk({
    failed: 'Failed to change tags',
    call: (selection, input: { add: string[]; remove: string[] }) => client.tags.apply({ ...selection, ...input }),
    announce: ({ changed }, { add, remove }) => {
      if (changed === 0) toast.info(add.length > 0 ? 'No change: already tagged' : 'No change: not tagged')
      else if (add.length > 0 && remove.length > 0) toast.success('Changed the tags of 1 lead')
      else toast.success(add.length > 0 ? 'Tagged 1 lead' : 'Removed the tag from 1 lead')
    },
    orders: ({ add, remove }) => [
      ...(add.length > 0 ? [{ kind: 'tag' as const, tagIds: add }] : []),
      ...(remove.length > 0 ? [{ kind: 'untag' as const, tagIds: remove }] : []),
    ],
    onClose,
  })
}

export function useSetBasis(onClose?: () => void) {
  return useBulk({
    failed: 'Failed to set the contact basis',
    call: (selection, input: { basis: ContactBasis; at?: string; source?: string }) =>
      client.leads.setBasis({ ...selection, ...input }),
    announce: ({ changed }) => toast.success(`Contact basis set for ${formatCount(changed, 'lead')}`),
    orders: (input) => [{ kind: 'basis', ...input }],
    onClose,
  })
}

export function useSuppressLeads(onClose?: () => void) {
  return useBulk({
    failed: 'Failed to suppress leads',
    call: (selection, _: null) => client.suppressions.create({ ...selection, reason: 'manual' }),
    announce: ({ suppressed, stopped }) => {
      const text = `${formatCount(suppressed, 'lead')} added to the suppression list`
      toast.success(stopped === 0 ? text : `${text}, ${formatCount(stopped, 'queued message')} canceled`)
    },
    orders: () => [{ kind: 'suppress' }],
    onClose,
  })
}

/** Batches that this page is deleting or restoring: their responses will arrive here. */
const pending = new Set<string>()

async function whilePending<T>(id: string, work: () => Promise<T>): Promise<T> {
  pending.add(id)
  try {
    return await work()
  } finally {
    pending.delete(id)
  }
}

/**
 * This tab's last deletion, until it is undone, dismissed or an hour old. Survives navigation and
 * reloads. @returns it and its setter
 */
export function useLastRemoval() {
  const queries = useQueryClient()
  const refresh = useRefresh()
  const workspaceId = session.workspaceId()
  const queryKey = [LAST_REMOVAL, workspaceId]
  const kept = (): Removal | null => {
    const data = queries.getQueryData<Removal | null>(queryKey)
    return data === undefined ? loadRemoval(sessionStorage, workspaceId, Date.now()) : undoableParts(data, Date.now())
  }
  const keep = (removal: Removal) => {
    const rest = removal.length > 0 ? removal : null
    if (rest) saveRemoval(sessionStorage, workspaceId, rest)
    else clearRemoval(sessionStorage)
    queries.setQueryData(queryKey, rest)
    return rest
  }
  const unconfirmed = (removal: Removal | null) => removal?.filter(({ id }) => !pending.has(id)) ?? []
  const { data = null } = useQuery<Removal | null, Error, Deletion | null>({
    queryKey,
    queryFn: async () => {
      const { parts, restored } = await settle(
        unconfirmed(kept()),
        {
          find: (id) => client.leads.findRemoval({ id }),
          restore: (removalId) => client.leads.restore({ removalId }),
        },
        Date.now,
      )
      if (parts.size === 0) return kept()
      if (restored > 0) toast.success(undoneText({ restored, alreadyRestored: 0 }))
      void refresh(api.leads, api.lists, api.tags)
      // Reads the state again, because another deletion may have started.
      return keep(withSettled(kept(), parts))
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => nextPollMs(unconfirmed(undoableParts(state.data ?? null, Date.now())), Date.now()),
    refetchOnReconnect: 'always',
    select: (removal) => lastDeletion(undoableParts(removal, Date.now())),
  })
  const onDeletion = (deletion: Deletion) => void keep(withDeletion(kept(), deletion))
  return [data, onDeletion] as const
}

const LAST_REMOVAL = 'last-removal-of-leads'

/** The progress label of a deletion. */
export const DELETING = 'Deleting'

/** @param onDeletion called before and after a single lead is deleted, with what can be undone */
export function useRemoveLeads(onDeletion: (deletion: Deletion) => void, onClose: () => void) {
  const queries = useQueryClient()
  return useBulk({
    failed: 'Failed to delete leads',
    call: async (selection, _: null) => {
      // Our own id allows an undo even if the response is lost.
      const id = crypto.randomUUID()
      const at = Date.now()
      const show = (parts: Removal) => onDeletion({ of: id, parts })
      try {
        return await whilePending(id, async () => {
          show([{ id, of: id, count: null, at }])
          const answer = await client.leads.removeMany({ ...selection, removalId: id })
          show(answer.removalId ? [{ id, of: id, count: answer.removed, at }] : [])
          return answer
        })
      } catch (error) {
        if (isRejected(error)) show([])
        else void queries.invalidateQueries({ queryKey: [LAST_REMOVAL] })
        throw error
      }
    },
    announce: ({ removed }) => toast.success(`${formatCount(removed, 'lead')} deleted`),
    orders: () => [{ kind: 'delete' }],
    onClose,
  })
}

/** @param onDeletion called with the batches still to be restored */
export function useRestoreLeads(onDeletion: (deletion: Deletion) => void) {
  return useAction(
    ({ of, parts }: Deletion) =>
      undoRemoval(
        parts,
        (removalId) => whilePending(removalId, () => client.leads.restore({ removalId })),
        (rest) => onDeletion({ of, parts: rest }),
        Date.now,
      ),
    {
      done: undoneText,
      onError: (error) => toast.error(`Failed to restore leads: ${errorText(error, 'Unknown error')}`),
      refetches: [api.leads, api.lists, api.tags],
    },
  )
}
