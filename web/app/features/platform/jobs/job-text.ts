import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Job } from '@x-automated/contract/platform/jobs'

const doing: Record<Job['kind'], string> = {
  openers: 'Writing openers',
  tag: 'Adding tags',
  untag: 'Removing tags',
  add_to_list: 'Adding to a list',
  remove_from_list: 'Removing from a list',
  suppress: 'Suppressing',
  basis: 'Setting the contact basis',
  delete: 'Deleting',
  queue: 'Queueing',
}

const done: Record<Job['kind'], (changed: number) => string> = {
  openers: (changed) => formatCount(changed, 'opener was written', 'openers were written'),
  tag: (changed) => `Tagged ${formatCount(changed, 'lead')}`,
  untag: (changed) => `Removed tags from ${formatCount(changed, 'lead')}`,
  add_to_list: (changed) => `${formatNumber(changed)} leads added to the list successfully!`,
  remove_from_list: (changed) => `${formatCount(changed, 'lead')} removed from the list.`,
  suppress: (changed) => `${formatCount(changed, 'lead')} added to the suppression list`,
  basis: (changed) => `Contact basis set for ${formatCount(changed, 'lead')}`,
  delete: (changed) => `${formatCount(changed, 'lead')} deleted`,
  queue: (changed) =>
    changed === 1 ? 'DM has been queued for sending' : `${formatNumber(changed)} DMs have been queued for sending`,
}

function undoneText({ kind, changed }: Pick<Job, 'kind' | 'changed'>): string {
  // There was nothing to undo, for example because the list or tag was deleted.
  if (changed === 0 && kind !== 'queue') return 'Nothing was left to undo'
  if (kind === 'delete') return `${formatCount(changed, 'lead')} restored`
  if (kind === 'queue')
    return changed === 0
      ? 'Too late to undo: the messages are being sent.'
      : `Undone: ${formatCount(changed, 'DM')} won't be sent.`
  return `Undone for ${formatCount(changed, 'lead')}`
}

/** Whether a job has completed, failed or was canceled. */
export function isEnded({ status }: Pick<Job, 'status'>): boolean {
  return status !== 'queued' && status !== 'running'
}

/** 'Deleting', or '12 leads deleted' once it has ended. */
export function jobText(job: Pick<Job, 'kind' | 'status' | 'changed' | 'undoes'>): string {
  if (!isEnded(job)) return job.undoes ? `Undoing: ${doing[job.kind].toLowerCase()}` : doing[job.kind]
  if (job.undoes) return undoneText(job)
  return job.changed === 0 ? `${doing[job.kind]}: no change` : done[job.kind](job.changed)
}

/** '12,000 of 100,000' */
export function progressText({ done, total }: Pick<Job, 'done' | 'total'>): string {
  return `${formatNumber(done)} of ${formatNumber(total)}`
}

/** Whether a job can be undone. @param now in milliseconds since 1970 */
export function mayUndo({ undoUntil, undoneBy }: Pick<Job, 'undoUntil' | 'undoneBy'>, now: number): boolean {
  return undoUntil !== null && undoneBy === null && Date.parse(undoUntil) > now
}
