import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ContactBasis } from '@x-automated/contract/leads'
import { api, client, errorWords } from '../../api'
import { toast } from '../../ui/toast'
import { changeInParts, type Picked, type Selection } from './lead-selection'
import { type Removal, takeBack } from './removal'

/** Does something with leads, in as many calls as naming them takes. */
function useBulk<Input, Answer extends { cursor: string | null }>(
  what: string,
  call: (selection: Selection, input: Input) => Promise<Answer>,
  onDone: (answers: Answer[], input: Input) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ picked, input }: { picked: Picked; input: Input }) => {
      const answers: Answer[] = []
      try {
        await changeInParts(
          picked,
          (selection) => call(selection, input),
          (answer) => answers.push(answer),
        )
      } finally {
        // Where a later part failed, what was done before can still be seen, and taken back.
        if (answers.length > 0) onDone(answers, input)
      }
    },
    onError: (error) => toast.error(`${what}: ${errorWords(error, 'Unknown error')}`),
    onSettled: () =>
      Promise.all(
        [api.leads, api.lists, api.tags, api.suppressions].map((part) =>
          queries.invalidateQueries({ queryKey: part.key() }),
        ),
      ),
  })
}

const sum = <T>(answers: T[], of: (answer: T) => number) => answers.reduce((total, answer) => total + of(answer), 0)
const leads = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'lead' : 'leads'}`

export function useTagLeads(onDone: () => void = () => {}) {
  return useBulk(
    'Failed to change tags',
    (selection, input: { add: string[]; remove: string[] }) => client.tags.apply({ ...selection, ...input }),
    (answers) => {
      const changed = sum(answers, (answer) => answer.changed)
      if (changed === 0) toast.info('The tags were so already.')
      else toast.success(`${changed.toLocaleString('en-US')} ${changed === 1 ? 'tag' : 'tags'} changed`)
      onDone()
    },
  )
}

export interface BasisInput {
  basis: ContactBasis
  at?: string
  source?: string
}

export function useSetBasis(onDone: () => void = () => {}) {
  return useBulk(
    'Failed to set the contact basis',
    (selection, input: BasisInput) => client.leads.setBasis({ ...selection, ...input }),
    (answers) => {
      toast.success(`Contact basis of ${leads(sum(answers, (answer) => answer.changed))} set`)
      onDone()
    },
  )
}

export function useSuppressLeads(onDone: () => void = () => {}) {
  return useBulk(
    'Failed to suppress leads',
    (selection, _: null) => client.suppressions.create({ ...selection, reason: 'manual' }),
    (answers) => {
      const stopped = sum(answers, (answer) => answer.stopped)
      const words = `${leads(sum(answers, (answer) => answer.suppressed))} added to the suppression list`
      toast.success(stopped === 0 ? words : `${words}, ${stopped} queued DMs stopped`)
      onDone()
    },
  )
}

const removalKey = ['last-removal-of-leads']

/** What was deleted last, until it is taken back or dismissed: leaving the page and coming back within the hour keeps it. */
export function useLastRemoval() {
  const queries = useQueryClient()
  const { data = null } = useQuery<Removal | null>({
    queryKey: removalKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 3_600_000,
  })
  return [data, (removal: Removal | null) => queries.setQueryData(removalKey, removal)] as const
}

/** @param onRemoved told where something was deleted */
export function useRemoveLeads(onRemoved: (removal: Removal) => void) {
  return useBulk(
    'Failed to delete leads',
    (selection, _: null) => client.leads.removeMany(selection),
    (answers) => {
      const count = sum(answers, (answer) => answer.removed)
      toast.success(count === 1 ? 'Lead deleted' : `${leads(count)} deleted`)
      if (count > 0)
        onRemoved(answers.flatMap(({ removalId, removed }) => (removalId ? [{ id: removalId, count: removed }] : [])))
    },
  )
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
