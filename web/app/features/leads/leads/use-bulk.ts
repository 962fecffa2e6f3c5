import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { api, client, errorText } from '../../../api'
import { sessionStorage } from '../../../browser-storage'
import { session } from '../../../session'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { bulkRuns, needsBatches, stoppedText } from './bulk-runs'
import { type Picked, pickedCount, type Selection } from './lead-selection'
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
  /** The progress label: 'Deleting'. */
  doing: string
  /** Introduces an error: 'Failed to delete leads'. */
  failed: string
  /** @param before the responses of the batches before */
  call: (selection: Selection, input: Input, before: Answer[]) => Promise<Answer>
  /** Called after each batch with all responses so far. */
  onPart?: (answers: Answer[]) => void
  /** Reports what was done, even after a failure or a stop. */
  announce: (answers: Answer[], input: Input, picked: Picked) => void
  /** Closes the dialog: after the first result, or immediately if it takes several batches. */
  onClose?: () => void
}

/** Changes leads in as many calls as the selection needs. */
function useBulk<Input, Answer extends { cursor: string | null }>({
  doing,
  failed,
  call,
  onPart = () => {},
  announce,
  onClose = () => {},
}: Bulk<Input, Answer>) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ picked, input }: { picked: Picked; input: Input }) => {
      const answers: Answer[] = []
      if (needsBatches(picked)) onClose()
      try {
        const end = await bulkRuns.run(
          doing,
          picked,
          (selection) => call(selection, input, answers),
          (answer) => {
            answers.push(answer)
            onPart(answers)
          },
        )
        if (end.isStopped) toast.info(stoppedText(end))
      } finally {
        // If a later batch fails, the finished ones are still reported and can be undone.
        if (answers.length > 0) {
          announce(answers, input, picked)
          if (!needsBatches(picked)) onClose()
        }
      }
    },
    onError: (error) => toast.error(`${failed}: ${errorText(error, 'Unknown error')}`),
    onSettled: () => refresh(api.leads, api.lists, api.tags, api.suppressions, api.messages),
  })
}

const sum = <T>(answers: T[], of: (answer: T) => number) => answers.reduce((total, answer) => total + of(answer), 0)

export function useTagLeads(onClose?: () => void) {
  return useBulk({
    doing: 'Changing tags',
    failed: 'Failed to change tags',
    call: (selection, input: { add: string[]; remove: string[] }) => client.tags.apply({ ...selection, ...input }),
    announce: (answers, { add, remove }, picked) => {
      const changed = sum(answers, (answer) => answer.changed)
      if (changed === 0) toast.info(add.length > 0 ? 'No change: already tagged' : 'No change: not tagged')
      // `changed` counts leads per tag, so it counts leads only for a single tag.
      else if (add.length + remove.length > 1) toast.success(severalTagsText(picked, remove.length > 0))
      else if (add.length > 0) toast.success(`Tagged ${formatCount(changed, 'lead')}`)
      else toast.success(`Removed the tag from ${formatCount(changed, 'lead')}`)
    },
    onClose,
  })
}

/** What several tags changed. Batches may have been stopped, so they have no count. */
function severalTagsText(picked: Picked, hasRemoved: boolean): string {
  if (needsBatches(picked)) return 'Tags changed'
  const leads = formatCount(pickedCount(picked), 'lead')
  return hasRemoved ? `Changed the tags of ${leads}` : `Tagged ${leads}`
}

export function useSetBasis(onClose?: () => void) {
  return useBulk({
    doing: 'Setting the contact basis',
    failed: 'Failed to set the contact basis',
    call: (selection, input: { basis: ContactBasis; at?: string; source?: string }) =>
      client.leads.setBasis({ ...selection, ...input }),
    announce: (answers) => {
      const changed = sum(answers, (answer) => answer.changed)
      toast.success(`Contact basis set for ${formatCount(changed, 'lead')}`)
    },
    onClose,
  })
}

export function useSuppressLeads(onClose?: () => void) {
  return useBulk({
    doing: 'Suppressing',
    failed: 'Failed to suppress leads',
    call: (selection, _: null) => client.suppressions.create({ ...selection, reason: 'manual' }),
    announce: (answers) => {
      const stopped = sum(answers, (answer) => answer.stopped)
      const suppressed = sum(answers, (answer) => answer.suppressed)
      const text = `${formatCount(suppressed, 'lead')} added to the suppression list`
      toast.success(stopped === 0 ? text : `${text}, ${formatCount(stopped, 'queued message')} canceled`)
    },
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

/** @param onDeletion called before and after each batch with everything deleted so far */
export function useRemoveLeads(onDeletion: (deletion: Deletion) => void, onClose: () => void) {
  const queries = useQueryClient()
  type Part = Awaited<ReturnType<typeof client.leads.removeMany>> & { of: string; at: number }
  const deleted = (answers: Part[]): Removal =>
    answers.flatMap(({ removalId, of, removed, at }) => (removalId ? [{ id: removalId, of, count: removed, at }] : []))
  return useBulk({
    doing: DELETING,
    failed: 'Failed to delete leads',
    call: async (selection, _: null, before: Part[]) => {
      // Our own id allows an undo even if the response is lost.
      const id = crypto.randomUUID()
      const of = before[0]?.of ?? id
      const at = Date.now()
      try {
        return await whilePending(id, async () => {
          onDeletion({ of, parts: [...deleted(before), { id, of, count: null, at }] })
          return { ...(await client.leads.removeMany({ ...selection, removalId: id })), of, at }
        })
      } catch (error) {
        if (isRejected(error)) onDeletion({ of, parts: deleted(before) })
        else void queries.invalidateQueries({ queryKey: [LAST_REMOVAL] })
        throw error
      }
    },
    onPart: (answers) => {
      const [first] = answers
      if (first) onDeletion({ of: first.of, parts: deleted(answers) })
    },
    announce: (answers) => {
      const count = sum(answers, (answer) => answer.removed)
      toast.success(`${formatCount(count, 'lead')} deleted`)
    },
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
