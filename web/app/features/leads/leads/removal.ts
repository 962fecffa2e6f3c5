import { ORPCError } from '@orpc/client'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { errorCode } from '../../../api'

/** One batch of a deletion, which can be undone. Saved before the batch is requested. */
interface RemovalPart {
  id: string
  /** The deletion it belongs to: the id of its first batch. */
  of: string
  /** Deleted leads; null until the server has answered. */
  count: number | null
  /** When it was requested, in milliseconds since 1970. */
  at: number
  /** Its restore was requested. */
  isRestoring?: true
}
/** Batches, oldest request first. */
export type Removal = RemovalPart[]

/** One deletion and its batches that can be undone. */
export interface Deletion {
  of: string
  parts: Removal
}

export const removedCount = (removal: Removal): number => removal.reduce((sum, { count }) => sum + (count ?? 0), 0)

const isGone = (error: unknown) => errorCode(error) === 'REMOVAL_NOT_FOUND'

/** Whether the server rejected the request for good (4xx). */
export const isRejected = (error: unknown) => error instanceof ORPCError && error.status < 500

/** How long the server can undo a batch. */
const UNDO_MS = 3_600_000
/** How long a batch that the server doesn't know yet may still be waiting to run there. */
const QUEUED_MS = 300_000
const KEY = 'last-removal-of-leads'

interface StoredRemoval {
  workspaceId: string | null
  removal: Removal
}

/** The batches that can still be undone, or null. */
export function undoableParts(removal: Removal | null, now: number): Removal | null {
  const rest = removal?.filter(({ at }) => now - at < UNDO_MS) ?? []
  return rest.length > 0 ? rest : null
}

/** The last deletion that the server has confirmed, or null. */
export function lastDeletion(removal: Removal | null): Deletion | null {
  const known = removal?.findLast(({ count }) => count !== null)
  return removal && known ? { of: known.of, parts: removal.filter(({ of }) => of === known.of) } : null
}

/** Drops deletions older than the last confirmed one; newer ones are unconfirmed. */
function sinceLastConfirmed(removal: Removal): Removal {
  const last = lastDeletion(removal)
  return last ? removal.slice(removal.findIndex(({ of }) => of === last.of)) : removal
}

/** Replaces a deletion's batches. Without any, it was undone, dismissed or never happened. */
export function withDeletion(removal: Removal | null, { of, parts }: Deletion): Removal {
  const others = removal?.filter((part) => part.of !== of) ?? []
  return sinceLastConfirmed([...others, ...parts].toSorted((a, b) => a.at - b.at))
}

/** Applies the server's answers about these batches. */
export function withSettled(removal: Removal | null, parts: Settled['parts']): Removal {
  return sinceLastConfirmed((removal ?? []).flatMap((part) => (parts.has(part.id) ? (parts.get(part.id) ?? []) : part)))
}

/** Milliseconds until the next check of unconfirmed batches; false if all are confirmed. */
export function nextPollMs(removal: Removal, now: number): number | false {
  const unknown = removal.findLast(({ count }) => count === null)
  return unknown ? Math.min(60_000, Math.max(3_000, (now - unknown.at) / 4)) : false
}

/** Whether the server may still run a batch that it doesn't know. */
const mayStillRun = ({ count, at }: RemovalPart, now: number) => count === null && now - at < QUEUED_MS

/** Saves this tab's last deletion, so that Undo survives a reload, unless storage is full. */
export function saveRemoval(storage: Pick<Storage, 'setItem'>, workspaceId: string | null, removal: Removal): void {
  try {
    storage.setItem(KEY, JSON.stringify({ workspaceId, removal } satisfies StoredRemoval))
  } catch {
    // Storage is full or blocked.
  }
}

/** The saved deletion of this workspace; null if there is none or its undo period has ended. */
export function loadRemoval(
  storage: Pick<Storage, 'getItem'>,
  workspaceId: string | null,
  now: number,
): Removal | null {
  try {
    // Earlier versions stored `isComingBack`.
    const stored = storage.getItem(KEY)?.replaceAll('"isComingBack"', '"isRestoring"')
    const kept = JSON.parse(stored ?? 'null') as StoredRemoval | null
    return kept?.workspaceId === workspaceId ? undoableParts(kept.removal, now) : null
  } catch {
    return null
  }
}

export function clearRemoval(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}

/** The outcome of batches whose response was lost. */
export interface Settled {
  /** By id: the updated batch, or null if there is nothing to undo. */
  parts: Map<string, RemovalPart | null>
  restored: number
}

/** Looks up unconfirmed batches and repeats requested restores. */
export async function settle(
  removal: Removal,
  ask: {
    find: (id: string) => Promise<{ removed: number }>
    restore: (id: string) => Promise<{ restored: number }>
  },
  now: () => number,
): Promise<Settled> {
  const settled: Settled = { parts: new Map(), restored: 0 }
  for (const part of removal) {
    try {
      if (part.isRestoring) {
        settled.restored += (await ask.restore(part.id)).restored
        settled.parts.set(part.id, null)
      } else if (part.count === null) settled.parts.set(part.id, { ...part, count: (await ask.find(part.id)).removed })
    } catch (error) {
      if (isGone(error)) {
        if (!mayStillRun(part, now())) settled.parts.set(part.id, null)
      } else if (part.isRestoring && isRejected(error)) settled.parts.set(part.id, withoutRestoring(part))
    }
  }
  return settled
}

function withoutRestoring({ isRestoring: _, ...part }: RemovalPart): RemovalPart {
  return part
}

/** Leads restored by this undo, and by an earlier one whose response was lost. */
export interface UndoResult {
  restored: number
  alreadyRestored: number
}

/**
 * Undoes a deletion batch by batch. A failed batch and those after it stay; an expired one is
 * skipped and its error thrown at the end.
 * @param onRest called with the remaining batches before and after each restore
 */
export async function undoRemoval(
  removal: Removal,
  restore: (removalId: string) => Promise<{ restored: number }>,
  onRest: (rest: Removal) => void,
  now: () => number,
): Promise<UndoResult> {
  const result: UndoResult = { restored: 0, alreadyRestored: 0 }
  let expired: unknown = null
  /** Batches that the server may still run. */
  const late: Removal = []
  for (const [index, part] of removal.entries()) {
    const rest = removal.slice(index + 1)
    onRest([...late, { ...part, isRestoring: true }, ...rest])
    try {
      result.restored += (await restore(part.id)).restored
    } catch (error) {
      if (!isGone(error)) {
        if (isRejected(error)) onRest([...late, withoutRestoring(part), ...rest])
        throw error
      }
      // An unconfirmed batch may be restored already, or was never deleted.
      if (mayStillRun(part, now())) late.push(part)
      else if (part.isRestoring) result.alreadyRestored += part.count ?? 0
      else if (part.count !== null) expired = error
    }
    onRest([...late, ...rest])
  }
  if (expired) throw expired
  return result
}

/** '12 leads restored' */
export function undoneText({ restored, alreadyRestored }: UndoResult): string {
  if (alreadyRestored === 0) return `${formatCount(restored, 'lead')} restored`
  if (restored === 0) return `${formatCount(alreadyRestored, 'lead')} already restored`
  return `${formatCount(restored, 'lead')} restored, ${formatNumber(alreadyRestored)} restored earlier`
}
