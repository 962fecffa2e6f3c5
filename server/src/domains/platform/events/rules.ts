import type { EventKind } from '@x-automated/contract/platform/events'
import type { Role } from '@x-automated/contract/route'

/** A numbered event of a workspace. */
export interface StoredEvent {
  id: number
  kind: EventKind
  ids: string[]
  recipientId: string | null
}

/** Kinds for which one object's events are at least a second apart. */
const SPACED: ReadonlySet<string> = new Set<EventKind>(['campaign', 'scrape', 'import', 'job'])
const SPACING_MS = 1_000

/** When a change heard at `now` is recorded. @param recordedAt when the same change was last recorded */
export function dueAt(kind: string, now: number, recordedAt: number | undefined): number {
  return SPACED.has(kind) ? Math.max(now, (recordedAt ?? 0) + SPACING_MS) : now
}

/** The events that follow `seen`, or 'reset' if some of them were already deleted. */
export function unseen(seen: number, lastId: number, stored: readonly StoredEvent[]): StoredEvent[] | 'reset' {
  const newer = stored.filter(({ id }) => id > seen)
  return newer.length === lastId - seen ? newer : 'reset'
}

/** Whether a person gets an event. Viewers have no inbox, so they get no events of conversations. */
export function isFor(event: StoredEvent, { userId, role }: { userId: string; role: Role }): boolean {
  if (event.recipientId !== null) return event.recipientId === userId
  return event.kind !== 'conversation' || role !== 'viewer'
}
