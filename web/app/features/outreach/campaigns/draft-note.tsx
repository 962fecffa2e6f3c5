import { formatDate } from '@x-automated/contract/format'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import type { DraftStatus } from './draft-saves'
import type { SavedDraft } from './use-campaign-draft'

/** '2:03 PM', with the date unless it is today. */
function timeText(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return formatDate(at, { ...(!isToday && { month: 'short', day: 'numeric' }), hour: 'numeric', minute: '2-digit' })
}

/** 'Draft saved 2:03 PM'. */
export function draftText(status: DraftStatus): string {
  switch (status.kind) {
    case 'empty':
      return ''
    case 'saving':
      return 'Saving draft…'
    case 'saved':
      return `Draft saved ${timeText(status.at)}`
    case 'local':
      return "Saved in this browser only. We'll save it to your account once you're back online."
    case 'refused':
      return `Saved in this browser only. ${status.text}`
    case 'conflict':
      return 'Not saved: there are two versions of this draft.'
  }
}

/** Where the draft is saved. Screen readers hear of problems only. */
export function DraftNote({ status }: { status: DraftStatus }) {
  const isProblem = ['local', 'refused', 'conflict'].includes(status.kind)
  return (
    <span className="block min-h-5 text-sm text-muted" role={isProblem ? 'status' : undefined} data-numeric>
      {draftText(status)}
    </span>
  )
}

/** Asks which version to keep of a draft that was changed in two places. */
export function DraftConflict({ saved: { status, choose } }: { saved: SavedDraft }) {
  if (status.kind !== 'conflict') return null
  return (
    <Callout
      tone="warn"
      title={`This draft was changed in another tab or on another device at ${timeText(status.at)}.`}
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => choose('theirs')}>
            Load that version
          </Button>
          <Button size="sm" onClick={() => choose('mine')}>
            Keep this version
          </Button>
        </span>
      }
    >
      The version you don't choose will be deleted.
    </Callout>
  )
}
