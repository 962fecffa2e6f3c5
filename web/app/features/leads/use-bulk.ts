import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ContactBasis } from '@x-automated/contract/leads'
import { api, client, errorText } from '../../api'
import { sessionStorage } from '../../browser-storage'
import { session } from '../../session'
import { toast } from '../../ui/toast'
import { bulkRuns, isLong, stoppedText } from './bulk-runs'
import type { Picked, Selection } from './lead-selection'
import {
  clearRemoval,
  type Deletion,
  isRefused,
  lastDeletion,
  loadRemoval,
  nextPollMs,
  type Removal,
  saveRemoval,
  settle,
  takeBack,
  undoableParts,
  undoneText,
  withDeletion,
  withSettled,
} from './removal'

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
        // Where a later part failed, what was done before can still be seen, and taken back.
        if (answers.length > 0) {
          say(answers)
          if (!isLong(picked)) onClose()
        }
      }
    },
    onError: (error) => toast.error(`${failed}: ${errorText(error, 'Unknown error')}`),
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

/** Ids of parts that this page is having deleted or restored just now: it will be told of them. */
const underWay = new Set<string>()

async function whileUnderWay<T>(id: string, work: () => Promise<T>): Promise<T> {
  underWay.add(id)
  try {
    return await work()
  } finally {
    underWay.delete(id)
  }
}

/**
 * What was deleted last in this tab, until it is taken back or dismissed, or the hour is over: also where the page was left or loaded anew meanwhile.
 * @returns with it, what to tell of each deletion as its parts change
 */
export function useLastRemoval() {
  const queries = useQueryClient()
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
  const untold = (removal: Removal | null) => removal?.filter(({ id }) => !underWay.has(id)) ?? []
  const { data = null } = useQuery<Removal | null, Error, Deletion | null>({
    queryKey,
    queryFn: async () => {
      const { parts, restored } = await settle(
        untold(kept()),
        {
          find: (id) => client.leads.findRemoval({ id }),
          restore: (removalId) => client.leads.restore({ removalId }),
        },
        Date.now,
      )
      if (parts.size === 0) return kept()
      if (restored > 0) toast.success(undoneText({ restored, wereBack: 0 }))
      void Promise.all(
        [api.leads, api.lists, api.tags].map((part) => queries.invalidateQueries({ queryKey: part.key() })),
      )
      // As it stands by now: another deletion may have begun meanwhile.
      return keep(withSettled(kept(), parts))
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => nextPollMs(untold(undoableParts(state.data ?? null, Date.now())), Date.now()),
    refetchOnReconnect: 'always',
    select: (removal) => lastDeletion(undoableParts(removal, Date.now())),
  })
  const onDeletion = (deletion: Deletion) => void keep(withDeletion(kept(), deletion))
  return [data, onDeletion] as const
}

const LAST_REMOVAL = 'last-removal-of-leads'

/** What deleting is called while it is under way. */
export const DELETING = 'Deleting'

/** @param onDeletion told, before and after each part, of everything that is deleted by then */
export function useRemoveLeads(onDeletion: (deletion: Deletion) => void, onClose: () => void) {
  const queries = useQueryClient()
  type Part = Awaited<ReturnType<typeof client.leads.removeMany>> & { of: string; at: number }
  const deleted = (answers: Part[]): Removal =>
    answers.flatMap(({ removalId, of, removed, at }) => (removalId ? [{ id: removalId, of, count: removed, at }] : []))
  return useBulk({
    doing: DELETING,
    failed: 'Failed to delete leads',
    call: async (selection, _: null, before: Part[]) => {
      // Under an id of ours, so that it can be taken back though no answer may come.
      const id = crypto.randomUUID()
      const of = before[0]?.of ?? id
      const at = Date.now()
      try {
        return await whileUnderWay(id, async () => {
          onDeletion({ of, parts: [...deleted(before), { id, of, count: null, at }] })
          return { ...(await client.leads.removeMany({ ...selection, removalId: id })), of, at }
        })
      } catch (error) {
        if (isRefused(error)) onDeletion({ of, parts: deleted(before) })
        else void queries.invalidateQueries({ queryKey: [LAST_REMOVAL] })
        throw error
      }
    },
    onPart: (answers) => {
      const [first] = answers
      if (first) onDeletion({ of: first.of, parts: deleted(answers) })
    },
    say: (answers) => {
      const count = sum(answers, (answer) => answer.removed)
      toast.success(count === 1 ? 'Lead deleted' : `${leads(count)} deleted`)
    },
    onClose,
  })
}

/** @param onDeletion told what is left to be taken back */
export function useRestoreLeads(onDeletion: (deletion: Deletion) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ of, parts }: Deletion) =>
      takeBack(
        parts,
        (removalId) => whileUnderWay(removalId, () => client.leads.restore({ removalId })),
        (rest) => onDeletion({ of, parts: rest }),
        Date.now,
      ),
    onSuccess: (back) => toast.success(undoneText(back)),
    onError: (error) => toast.error(`Failed to restore leads: ${errorText(error, 'Unknown error')}`),
    onSettled: () =>
      Promise.all([api.leads, api.lists, api.tags].map((part) => queries.invalidateQueries({ queryKey: part.key() }))),
  })
}
