import { ORPCError } from '@orpc/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ContactBasis } from '@x-automated/contract/leads'
import { api, client, errorWords } from '../../api'
import { session } from '../../session'
import { toast } from '../../ui/toast'
import type { Picked, Selection } from './lead-selection'
import { isLong, partsRuns, stoppedInWords } from './parts-runs'
import { forgetRemoval, keepRemoval, keptRemoval, type Removal, settle, stillThere, takeBack } from './removal'

interface Bulk<Input, Answer> {
  /** How its progress calls it: 'Deleting'. */
  doing: string
  /** 'Failed to delete leads' */
  failed: string
  /** @param before what the parts before it answered */
  call: (selection: Selection, input: Input, before: Answer[]) => Promise<Answer>
  /** Told of all that was done up to now, after each part. */
  onPart?: (answers: Answer[]) => void
  /** Says what was done, also where a later part failed or it was stopped. */
  say: (answers: Answer[]) => void
  /** What it was begun from can go: once something is done, or, where that takes many calls, at once. */
  onClose?: () => void
}

/** Does something with leads, in as many calls as naming them takes. */
function useBulk<Input, Answer extends { cursor: string | null }>({
  doing,
  failed,
  call,
  onPart = () => {},
  say,
  onClose = () => {},
}: Bulk<Input, Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ picked, input }: { picked: Picked; input: Input }) => {
      const answers: Answer[] = []
      if (isLong(picked)) onClose()
      try {
        const end = await partsRuns.run(
          doing,
          picked,
          (selection) => call(selection, input, answers),
          (answer) => {
            answers.push(answer)
            onPart(answers)
          },
        )
        if (end.isStopped) toast.info(stoppedInWords(end))
      } finally {
        // Where a later part failed, what was done before can still be seen, and taken back.
        if (answers.length > 0) {
          say(answers)
          if (!isLong(picked)) onClose()
        }
      }
    },
    onError: (error) => toast.error(`${failed}: ${errorWords(error, 'Unknown error')}`),
    onSettled: () =>
      Promise.all(
        [api.leads, api.lists, api.tags, api.suppressions, api.messages].map((part) =>
          queries.invalidateQueries({ queryKey: part.key() }),
        ),
      ),
  })
}

const sum = <T>(answers: T[], of: (answer: T) => number) => answers.reduce((total, answer) => total + of(answer), 0)
const leads = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'lead' : 'leads'}`

export function useTagLeads(onClose?: () => void) {
  return useBulk({
    doing: 'Changing tags',
    failed: 'Failed to change tags',
    call: (selection, input: { add: string[]; remove: string[] }) => client.tags.apply({ ...selection, ...input }),
    say: (answers) => {
      const changed = sum(answers, (answer) => answer.changed)
      if (changed === 0) toast.info('The tags were so already.')
      else toast.success(`${changed.toLocaleString('en-US')} ${changed === 1 ? 'tag' : 'tags'} changed`)
    },
    onClose,
  })
}

export interface BasisInput {
  basis: ContactBasis
  at?: string
  source?: string
}

export function useSetBasis(onClose?: () => void) {
  return useBulk({
    doing: 'Setting the contact basis',
    failed: 'Failed to set the contact basis',
    call: (selection, input: BasisInput) => client.leads.setBasis({ ...selection, ...input }),
    say: (answers) => toast.success(`Contact basis of ${leads(sum(answers, (answer) => answer.changed))} set`),
    onClose,
  })
}

export function useSuppressLeads(onClose?: () => void) {
  return useBulk({
    doing: 'Suppressing',
    failed: 'Failed to suppress leads',
    call: (selection, _: null) => client.suppressions.create({ ...selection, reason: 'manual' }),
    say: (answers) => {
      const stopped = sum(answers, (answer) => answer.stopped)
      const words = `${leads(sum(answers, (answer) => answer.suppressed))} added to the suppression list`
      toast.success(stopped === 0 ? words : `${words}, ${stopped} queued DMs stopped`)
    },
    onClose,
  })
}

/** What was deleted last in this tab, until it is taken back or dismissed, or the hour is over: also where the page was left or loaded anew meanwhile. */
export function useLastRemoval() {
  const queries = useQueryClient()
  const workspaceId = session.workspaceId()
  const queryKey = [LAST_REMOVAL, workspaceId]
  const { data = null } = useQuery<Removal | null>({
    queryKey,
    queryFn: async () => {
      const kept = () => keptRemoval(sessionStorage, workspaceId, Date.now())
      const { parts, restored } = await settle(kept() ?? [], {
        find: (id) => client.leads.findRemoval({ id }),
        restore: (removalId) => client.leads.restore({ removalId }),
      })
      if (parts.size === 0) return kept()
      if (restored > 0) toast.success(`${leads(restored)} restored`)
      void Promise.all(
        [api.leads, api.lists, api.tags].map((part) => queries.invalidateQueries({ queryKey: part.key() })),
      )
      // As it stands by now: another deletion may have begun meanwhile.
      return store(kept()?.flatMap((part) => (parts.has(part.id) ? (parts.get(part.id) ?? []) : part)))
    },
    staleTime: Number.POSITIVE_INFINITY,
    select: (removal) => stillThere(removal, Date.now()),
  })
  const store = (removal: Removal | null = null) => {
    const rest = removal?.length ? removal : null
    if (rest) keepRemoval(sessionStorage, workspaceId, rest)
    else forgetRemoval(sessionStorage)
    return rest
  }
  const keep = (removal: Removal | null) => void queries.setQueryData(queryKey, store(removal))
  return [data, keep] as const
}

const LAST_REMOVAL = 'last-removal-of-leads'

/** What deleting is called while it is under way. */
export const DELETING = 'Deleting'

/**
 * @param last what was deleted before
 * @param onRemoved told, before and after each part, of everything that is deleted by then
 */
export function useRemoveLeads(
  last: Removal | null,
  onRemoved: (removal: Removal | null) => void,
  onClose: () => void,
) {
  const queries = useQueryClient()
  type Part = Awaited<ReturnType<typeof client.leads.removeMany>> & { at: number }
  const deleted = (answers: Part[]): Removal =>
    answers.flatMap(({ removalId, removed, at }) => (removalId ? [{ id: removalId, count: removed, at }] : []))
  return useBulk({
    doing: DELETING,
    failed: 'Failed to delete leads',
    call: async (selection, _: null, before: Part[]) => {
      // Under an id of ours, so that it can be taken back though no answer may come.
      const part = { id: crypto.randomUUID(), count: null, at: Date.now() }
      onRemoved([...deleted(before), part])
      try {
        return { ...(await client.leads.removeMany({ ...selection, removalId: part.id })), at: part.at }
      } catch (error) {
        const isRefused = error instanceof ORPCError && error.status < 500
        if (isRefused) onRemoved(before.length > 0 ? deleted(before) : last)
        else void queries.invalidateQueries({ queryKey: [LAST_REMOVAL] })
        throw error
      }
    },
    onPart: (answers) => onRemoved(answers.some(({ removalId }) => removalId) ? deleted(answers) : last),
    say: (answers) => {
      const count = sum(answers, (answer) => answer.removed)
      toast.success(count === 1 ? 'Lead deleted' : `${leads(count)} deleted`)
    },
    onClose,
  })
}

/** @param onRest told what is left to be taken back; null: nothing */
export function useRestoreLeads(onRest: (rest: Removal | null) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (removal: Removal) =>
      takeBack(
        removal,
        (removalId) => client.leads.restore({ removalId }),
        (rest) => onRest(rest.length > 0 ? rest : null),
      ),
    onSuccess: (restored) => toast.success(`${leads(restored)} restored`),
    onError: (error) => toast.error(`Failed to restore leads: ${errorWords(error, 'Unknown error')}`),
    onSettled: () =>
      Promise.all([api.leads, api.lists, api.tags].map((part) => queries.invalidateQueries({ queryKey: part.key() }))),
  })
}
