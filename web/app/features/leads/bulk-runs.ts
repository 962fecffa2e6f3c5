import { PART_MAX } from '@x-automated/contract/lead-limits'
import { useSyncExternalStore } from 'react'
import { session } from '../../session'
import { toast } from '../../ui/toast'
import { changeInParts, type PartResponse, type Picked, pickedCount, type Selection } from './lead-selection'

/** Work on more leads than one call changes: part after part, while its page may have been left for another. */
export interface BulkRun {
  id: number
  /** What is being done, as its progress says it: 'Deleting'. */
  doing: string
  /** Leads that have surely been reached. */
  done: number
  total: number
  /** It ends after the part that is under way. */
  isStopping: boolean
  /** Whose leads they are. */
  workspaceId: string | null
  /** When it began, in milliseconds since 1970. */
  startedAt: number
}

/** What the runs of one page need of it. */
interface BulkRunDeps {
  /** Whose leads calls would change now: a run stays in the workspace in which it began. */
  workspaceId(): string | null
  now(): number
}

/** The runs that are under way, for whoever shows or stops them. */
export function createBulkRuns({ workspaceId, now }: BulkRunDeps) {
  let runs: readonly BulkRun[] = []
  let lastId = 0
  const watchers = new Set<() => void>()
  const become = (next: readonly BulkRun[]) => {
    runs = next
    for (const watch of watchers) watch()
  }
  const change = (id: number, to: (run: BulkRun) => Partial<BulkRun>) =>
    become(runs.map((run) => (run.id === id ? { ...run, ...to(run) } : run)))

  return {
    all: () => runs,

    /** Returns the way to stop watching. */
    watch(onChange: () => void): () => void {
      watchers.add(onChange)
      return () => void watchers.delete(onChange)
    },

    stop: (id: number) => change(id, () => ({ isStopping: true })),

    /**
     * Changes everything that is picked, part after part; where that takes several it can be seen and stopped between two.
     * @param onAnswer told of each part as it is done; what is done stays done where a later one fails, or is not reached
     * @returns how many were surely reached of how many; whether it was stopped before its end
     */
    async run<Answer extends PartResponse>(
      doing: string,
      picked: Picked,
      call: (selection: Selection) => Promise<Answer>,
      onAnswer: (answer: Answer) => void,
    ): Promise<{ done: number; total: number; isStopped: boolean }> {
      const total = pickedCount(picked)
      if (!isLong(picked)) {
        await changeInParts(picked, call, onAnswer)
        return { done: total, total, isStopped: false }
      }
      const began = workspaceId()
      lastId += 1
      const id = lastId
      const own = () => runs.find((run) => run.id === id)
      become([...runs, { id, doing, done: 0, total, isStopping: false, workspaceId: began, startedAt: now() }])
      try {
        const isWhole = await changeInParts(
          picked,
          call,
          (answer) => {
            // A part that others follow is full; how much the last one held nobody says.
            if (answer.cursor) change(id, ({ done }) => ({ done: Math.min(total, done + PART_MAX) }))
            onAnswer(answer)
          },
          () => own()?.isStopping === false && workspaceId() === began,
        )
        return { done: isWhole ? total : (own()?.done ?? 0), total, isStopped: !isWhole }
      } finally {
        become(runs.filter((run) => run.id !== id))
      }
    },
  }
}

/** Does it take more than one call? */
export function isLong(picked: Picked): boolean {
  return pickedCount(picked) > PART_MAX
}

/** Those of this page. */
export const bulkRuns = createBulkRuns({ workspaceId: session.workspaceId, now: Date.now })

/**
 * As `run` of this page's, and adds up what the parts have done.
 * @param onPartly told how much was done where a later part fails, before it throws
 * @returns the sum, and whether it was stopped before its end, which is said
 */
export async function runAndSum<Answer extends PartResponse>(
  doing: string,
  picked: Picked,
  call: (selection: Selection) => Promise<Answer>,
  doneBy: (answer: Answer) => number,
  onPartly: (done: number) => void,
): Promise<{ sum: number; isStopped: boolean }> {
  let sum = 0
  try {
    const end = await bulkRuns.run(doing, picked, call, (answer) => {
      sum += doneBy(answer)
    })
    if (end.isStopped) toast.info(stoppedText(end))
    return { sum, isStopped: end.isStopped }
  } catch (error) {
    if (sum > 0) onPartly(sum)
    throw error
  }
}

const none: readonly BulkRun[] = []

export function useBulkRuns(): readonly BulkRun[] {
  return useSyncExternalStore(bulkRuns.watch, bulkRuns.all, () => none)
}

const count = (n: number) => n.toLocaleString('en-US')

/** 'Deleting… 12,000 of 100,000'. */
export function bulkRunText({ doing, done, total, isStopping }: BulkRun): string {
  return `${isStopping ? 'Stopping' : doing}… ${count(done)} of ${count(total)}`
}

/** 'Stopped after about 12,000 of 100,000 leads. What is done stays done.' */
export function stoppedText({ done, total }: { done: number; total: number }): string {
  return `Stopped after about ${count(done)} of ${count(total)} leads. What is done stays done.`
}

/** How long the rest will take at the pace so far, in seconds; null before the first part. */
export function secondsLeft({ done, total, startedAt }: BulkRun, now: number): number | null {
  return done === 0 ? null : ((now - startedAt) * (total - done)) / done / 1000
}
