import { formatNumber } from '@x-automated/contract/format'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'
import { useSyncExternalStore } from 'react'
import { session } from '../../../session'
import { changeInBatches, type PartResponse } from '../../leads/leads/lead-selection'

/** A change of conversations too large for one call, in batches. Survives navigation, but not closing the tab. */
export interface BulkRun {
  id: number
  /** Conversations processed for certain. */
  done: number
  /** Null if unknown. */
  total: number | null
  /** Stops after the current batch. */
  isStopping: boolean
  workspaceId: string | null
  /** Milliseconds since 1970. */
  startedAt: number
}

interface BulkEnd extends Pick<BulkRun, 'done' | 'total'> {
  isStopped: boolean
}

interface BulkRunDeps {
  /** The current workspace: a run never continues in another one. */
  workspaceId(): string | null
  now(): number
}

/** Tracks bulk runs, so that any page can show and stop them. */
export function createBulkRuns({ workspaceId, now }: BulkRunDeps) {
  let runs: readonly BulkRun[] = []
  let lastId = 0
  const listeners = new Set<() => void>()
  const setRuns = (next: readonly BulkRun[]) => {
    runs = next
    for (const listener of listeners) listener()
  }
  const change = (id: number, to: (run: BulkRun) => Partial<BulkRun>) =>
    setRuns(runs.map((run) => (run.id === id ? { ...run, ...to(run) } : run)))

  return {
    all: () => runs,

    /** @returns an unsubscribe function */
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },

    stop: (id: number) => change(id, () => ({ isStopping: true })),

    /** Changes conversations in batches; completed ones stay if one fails. @param total null if it is unknown */
    async runParts<Part, Answer extends PartResponse>(
      total: number | null,
      selections: readonly Part[],
      call: (selection: Part & { cursor?: string }) => Promise<Answer>,
      onAnswer: (answer: Answer) => void,
    ): Promise<BulkEnd> {
      if (total !== null && total <= PART_MAX) {
        await changeInBatches(selections, call, onAnswer)
        return { done: total, total, isStopped: false }
      }
      const startedIn = workspaceId()
      lastId += 1
      const id = lastId
      const current = () => runs.find((run) => run.id === id)
      const startedAt = now()
      const show = () =>
        setRuns([...runs, { id, done: 0, total, isStopping: false, workspaceId: startedIn, startedAt }])
      // An unknown number is shown once it has taken a second call.
      if (total !== null) show()
      try {
        const isComplete = await changeInBatches(
          selections,
          call,
          (answer) => {
            if (answer.cursor && !current()) show()
            // Every batch but the last is full; the size of the last is unknown.
            if (answer.cursor)
              change(id, ({ done }) => ({ done: Math.min(total ?? Number.POSITIVE_INFINITY, done + PART_MAX) }))
            onAnswer(answer)
          },
          () => current()?.isStopping !== true && workspaceId() === startedIn,
        )
        return { done: (isComplete && total) || (current()?.done ?? 0), total, isStopped: !isComplete }
      } finally {
        setRuns(runs.filter((run) => run.id !== id))
      }
    },
  }
}

/** The bulk runs of this tab. */
export const bulkRuns = createBulkRuns({ workspaceId: session.workspaceId, now: Date.now })
// The frame of signed-in pages then loads their progress.
bulkRuns.subscribe(() => dispatchEvent(new Event('bulk-runs')))

const none: readonly BulkRun[] = []

/** The runs in progress. Rerenders after each batch. */
export function useBulkRuns(): readonly BulkRun[] {
  return useSyncExternalStore(bulkRuns.subscribe, bulkRuns.all, () => none)
}

/** 'Changing conversations… 12,000 of 100,000'. */
export function bulkRunText({ done, total, isStopping }: BulkRun): string {
  return `${isStopping ? 'Stopping' : 'Changing conversations'}… ${doneText({ done, total })}`
}

/** 'Stopped at 12,000 of 100,000. Finished changes are kept.' */
export function stoppedText(end: Pick<BulkRun, 'done' | 'total'>): string {
  return `Stopped at ${doneText(end)}. Finished changes are kept.`
}

function doneText({ done, total }: Pick<BulkRun, 'done' | 'total'>): string {
  return total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`
}

/** Seconds left at the current speed; null before the first batch finishes. */
export function secondsLeft({ done, total, startedAt }: BulkRun, now: number): number | null {
  return done === 0 || total === null ? null : ((now - startedAt) * (total - done)) / done / 1000
}
