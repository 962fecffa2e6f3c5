import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { CONVERSATION_IDS_MAX, type Filter } from '@x-automated/contract/outreach/conversations'
import { api, client } from '../../../api'
import { session } from '../../../session'
import { toast } from '../../../ui/toast'
import { changeInParts } from './change-in-parts'
import { changeCached } from './conversation-cache'
import { NOTHING_SELECTED } from './selection'
import { expectedChange, type Inbox, type Update, useChanged, useDoneToast } from './use-inbox'

type BulkUpdate = Omit<Update, 'reengage'>

interface BulkChange {
  update: BulkUpdate
  undoId: string
  parts: ({ conversationIds: string[] } | { filter: Filter })[]
  total: number | null
  /** The text of the toast. */
  doneText: (conversations: string) => string
}

/** Changes the selected conversations, in several calls if needed, with one Undo. */
export function useBulkChange({ selection, setSelection, selected, filter, total }: Inbox) {
  const queries = useQueryClient()
  const showDone = useDoneToast()
  const changed = useChanged()
  const ids = selected.map(({ id }) => id)
  const call = useMutation({
    ...changed,
    async mutationFn({ update, undoId, parts, total, doneText }: BulkChange) {
      let count = 0
      const progress = openProgress()
      try {
        const stoppedAt = await changeInParts({
          parts,
          total,
          call: (part) => client.conversations.updateMany({ ...part, ...update, undoId }),
          onAnswer: ({ changed }) => {
            count += changed
          },
          mayContinue: progress.mayContinue,
          onProgress: progress.show,
        })
        if (stoppedAt) toast.info(`Stopped at ${stoppedAt}. Finished changes are kept.`)
        if (count === 0) toast.info('No change')
      } finally {
        progress.end()
        // If a later call fails, the earlier changes can be undone.
        if (count > 0) showDone(doneText(formatCount(count, 'conversation')), { undoId, changed: count })
      }
    },
    async onMutate({ update }) {
      const before = selection
      setSelection(NOTHING_SELECTED)
      await queries.cancelQueries({ queryKey: api.conversations.key() })
      return { before, rollBack: changeCached(queries, new Set(ids), expectedChange(update)) }
    },
    onError(error, _, context) {
      if (context) setSelection(context.before)
      context?.rollBack()
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

/** Toast duration. Longer than any change takes, so that the toast stays. */
const UNTIL_DISMISSED_MS = 2 ** 31 - 1

/**
 * Shows a change's progress, whichever page is open. The change stops if the tab closes or the user
 * switches workspaces.
 */
function openProgress() {
  const id = crypto.randomUUID()
  const startedIn = session.workspaceId()
  let isStopping = false
  const isHere = () => session.workspaceId() === startedIn
  const stop = () => {
    isStopping = true
    toast.info('Stopping…')
  }
  const askBeforeUnload = (event: BeforeUnloadEvent) => {
    if (isHere()) event.preventDefault()
  }
  return {
    mayContinue: () => !isStopping && isHere(),
    show(position: string) {
      addEventListener('beforeunload', askBeforeUnload)
      if (!isStopping)
        toast.info(`Changing conversations… ${position}. Keep this tab open.`, {
          id,
          replaces: true,
          duration: UNTIL_DISMISSED_MS,
          action: { label: 'Stop', onClick: stop },
        })
    },
    end() {
      removeEventListener('beforeunload', askBeforeUnload)
      toast.dismiss(id)
    },
  }
}
