import { useMutation } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { api, client, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { type JobOrder, useStartJob } from '../../platform/jobs/use-start-job'
import { isSingle, type Picked, type Selection, selectionsOf } from './lead-selection'

interface Bulk<Input, Answer> {
  /** The beginning of the error: 'Failed to delete leads'. */
  failed: string
  /** Changes one lead. */
  call: (selection: Selection, input: Input) => Promise<Answer>
  /** Reports the call's result. */
  announce: (result: Answer, input: Input, selection: Selection) => void
  /** The orders of jobs that make the same change to several leads. */
  orders: (input: Input) => Order[]
  /** Closes the dialog once the call has succeeded or the job has started. */
  onClose?: () => void
}

/** An order without its leads. */
type Order = JobOrder extends infer O ? (O extends JobOrder ? Omit<O, 'leadIds' | 'filter'> : never) : never

/** Changes one lead by a call, or several by a job. */
function useBulk<Input, Answer>({ failed, call, announce, orders, onClose = () => {} }: Bulk<Input, Answer>) {
  const refresh = useRefresh()
  const startJobs = useStartJob()
  return useMutation({
    mutationFn: async ({ picked, input }: { picked: Picked; input: Input }) => {
      const selections = selectionsOf(picked)
      const [first] = selections
      if (first && isSingle(picked)) announce(await call(first, input), input, first)
      else
        await startJobs(
          orders(input).flatMap((order) => selections.map((selection) => ({ ...order, ...selection }) as JobOrder)),
        )
      onClose()
    },
    onError: (error) => toast.error(`${failed}: ${errorText(error, 'Unknown error')}`),
    onSettled: () => refresh(api.leads, api.lists, api.tags, api.suppressions, api.messages),
  })
}

interface TagChange {
  add: string[]
  remove: string[]
}

/**
 * The reverse change, or null if it would affect more than was changed. @param changed how many of
 * the lead's tags changed
 */
export function oppositeOf({ add, remove }: TagChange, changed: number): TagChange | null {
  return changed === add.length + remove.length ? { add: remove, remove: add } : null
}

/** Changes the tags of leads. The toast offers Undo, both after a call and after a job. */
export function useTagLeads(onClose?: () => void) {
  const undo = useAction((change: Selection & TagChange) => client.tags.apply(change), {
    done: 'Undone for 1 lead',
    failed: 'Failed to undo. Please try again.',
    refetches: [api.leads, api.lists, api.tags],
  })
  return useBulk({
    failed: 'Failed to change tags',
    call: (selection, input: TagChange) => client.tags.apply({ ...selection, ...input }),
    announce({ changed }, input, selection) {
      const { add, remove } = input
      if (changed === 0) return toast.info(add.length > 0 ? 'No change: already tagged' : 'No change: not tagged')
      const opposite = oppositeOf(input, changed)
      toast.success(
        add.length === 0
          ? 'Removed the tag from 1 lead'
          : remove.length === 0
            ? 'Tagged 1 lead'
            : 'Changed the tags of 1 lead',
        opposite ? { action: { label: 'Undo', onClick: () => void undo.run({ ...selection, ...opposite }) } } : {},
      )
    },
    orders: ({ add, remove }) => [
      ...(add.length > 0 ? [{ kind: 'tag' as const, tagIds: add }] : []),
      ...(remove.length > 0 ? [{ kind: 'untag' as const, tagIds: remove }] : []),
    ],
    onClose,
  })
}

/** Records why the leads may be messaged. */
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

/**
 * Adds leads to the suppression list, which cancels their queued messages. The toast offers Undo,
 * but canceled messages stay canceled.
 */
export function useSuppressLeads(onClose?: () => void) {
  const undo = useAction((id: string) => client.suppressions.remove({ id }), {
    done: 'Undone for 1 lead',
    failed: 'Failed to undo. Please try again.',
    refetches: [api.leads, api.lists, api.suppressions],
  })
  return useBulk({
    failed: 'Failed to suppress leads',
    call: (selection, _: null) => client.suppressions.create({ ...selection, reason: 'manual' }),
    announce: ({ suppressed, suppressionId, stopped }) => {
      if (suppressed === 0) return toast.info('No change: already on the suppression list')
      const text = `${formatCount(suppressed, 'lead')} added to the suppression list`
      toast.success(
        stopped === 0 ? text : `${text}, ${formatCount(stopped, 'queued message')} canceled`,
        suppressionId ? { action: { label: 'Undo', onClick: () => void undo.run(suppressionId) } } : {},
      )
    },
    orders: () => [{ kind: 'suppress' }],
    onClose,
  })
}

/** Deletes leads. A single one can be restored from the toast, several by undoing the job. */
export function useRemoveLeads(onClose: () => void) {
  const restore = useAction((removalId: string) => client.leads.restore({ removalId }), {
    done: ({ restored }) => `${formatCount(restored, 'lead')} restored`,
    onError: (error) => toast.error(`Failed to restore leads: ${errorText(error, 'Unknown error')}`),
    refetches: [api.leads, api.lists, api.tags],
  })
  return useBulk({
    failed: 'Failed to delete leads',
    call: (selection, _: null) => client.leads.removeMany(selection),
    announce: ({ removed, removalId }) =>
      toast.success(
        `${formatCount(removed, 'lead')} deleted`,
        removalId ? { action: { label: 'Undo', onClick: () => void restore.run(removalId) } } : {},
      ),
    orders: () => [{ kind: 'delete' }],
    onClose,
  })
}
