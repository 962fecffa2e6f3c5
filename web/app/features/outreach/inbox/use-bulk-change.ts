import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { CONVERSATION_IDS_MAX, type Filter } from '@x-automated/contract/outreach/conversations'
import { api, client } from '../../../api'
import { toast } from '../../../ui/toast'
import { bulkRuns, stoppedText } from './bulk-runs'
import { changeCached } from './conversation-cache'
import { NOTHING_SELECTED } from './selection'
import { type Inbox, shownChange, type Update, useChanged, useDoneToast } from './use-inbox'

type BulkUpdate = Omit<Update, 'reengage'>

interface BulkChange {
  update: BulkUpdate
  undoId: string
  parts: ({ conversationIds: string[] } | { filter: Filter })[]
  total: number | null
  /** The toast. */
  doneText: (conversations: string) => string
}

/** Changes the selected conversations in as many calls as they need, with one Undo. */
export function useBulkChange({ selection, setSelection, selected, filter, total }: Inbox) {
  const queries = useQueryClient()
  const showDone = useDoneToast()
  const changed = useChanged()
  const ids = selected.map(({ id }) => id)
  const call = useMutation({
    ...changed,
    async mutationFn({ update, undoId, parts, total, doneText }: BulkChange) {
      let count = 0
      try {
        const end = await bulkRuns.runParts(
          total,
          parts,
          (part) => client.conversations.updateMany({ ...part, ...update, undoId }),
          (answer) => {
            count += answer.changed
          },
        )
        if (end.isStopped) toast.info(stoppedText(end))
        if (count === 0) toast.info('No change')
      } finally {
        // If a later call fails, the changes so far can be undone.
        if (count > 0) showDone(doneText(formatCount(count, 'conversation')), { undoId, changed: count })
      }
    },
    async onMutate({ update }) {
      const before = selection
      setSelection(NOTHING_SELECTED)
      await queries.cancelQueries({ queryKey: api.conversations.key() })
      return { before, rollBack: changeCached(queries, new Set(ids), shownChange(update)) }
    },
    onError(error, _, shown) {
      if (shown) setSelection(shown.before)
      shown?.rollBack()
      changed.onError(error)
    },
  })
  return (update: BulkUpdate, doneText: BulkChange['doneText']) => {
    const parts = selection.hasAll
      ? [{ filter }]
      : Array.from({ length: Math.ceil(ids.length / CONVERSATION_IDS_MAX) }, (_, part) => ({
          conversationIds: ids.slice(part * CONVERSATION_IDS_MAX, (part + 1) * CONVERSATION_IDS_MAX),
        }))
    call.mutate({
      update,
      undoId: crypto.randomUUID(),
      parts,
      total: selection.hasAll ? total : ids.length,
      doneText,
    })
  }
}
