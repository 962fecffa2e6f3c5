import { formatDate } from '@x-automated/contract/format'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import type { DraftStatus } from './draft-saves'
import type { SavedDraft } from './use-campaign-draft'

const timeText = (at: string) => formatDate(at, { hour: 'numeric', minute: '2-digit' })

/** 'Draft saved 14:03'. */
export function draftText(status: DraftStatus): string {
  switch (status.kind) {
    case 'empty':
      return ''
    case 'saving':
      return 'Saving draft…'
    case 'saved':
      return `Draft saved ${timeText(status.at)}`
    case 'local':
      return 'Draft saved in this browser only. It is sent when the connection is back.'
    case 'conflict':
      return 'Not saved: there are two versions of this draft.'
  }
}

/** Where the draft is saved. Screen readers hear of problems only. */
export function DraftNote({ status }: { status: DraftStatus }) {
  const isProblem = status.kind === 'local' || status.kind === 'conflict'
  return (
    <p className="min-h-5 text-sm text-muted" role={isProblem ? 'status' : undefined} data-numeric>
      {draftText(status)}
    </p>
  )
}

/** Asks which version of a draft to keep that was changed in two places. */
export function DraftConflict({ saved: { status, choose } }: { saved: SavedDraft }) {
  if (status.kind !== 'conflict') return null
  return (
    <Callout
      tone="warn"
      title={`You changed this draft somewhere else at ${timeText(status.at)}.`}
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
      The other version is lost if you keep this one, and the other way around.
    </Callout>
  )
}
