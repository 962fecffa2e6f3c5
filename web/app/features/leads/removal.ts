import { errorCode } from '../../api'

/** What a deletion left to take it back by: for each part of it, its id, how many leads it held, and when it was asked for, in milliseconds since 1970. */
export type Removal = { id: string; count: number; at: number }[]

export const removedCount = (removal: Removal): number => removal.reduce((sum, { count }) => sum + count, 0)

/** For so long each part of a deletion can be taken back, in milliseconds. */
const KEPT_MS = 3_600_000
const KEY = 'last-removal-of-leads'

interface Kept {
  workspaceId: string | null
  removal: Removal
}

/** The parts that can still be taken back; null: none. */
export function stillThere(removal: Removal | null, now: number): Removal | null {
  const rest = removal?.filter(({ at }) => now - at < KEPT_MS) ?? []
  return rest.length > 0 ? rest : null
}

/** Keeps the last deletion of this tab, so that it is there when the page is loaded anew. Where there is no room, only until then. */
export function keepRemoval(storage: Pick<Storage, 'setItem'>, workspaceId: string | null, removal: Removal): void {
  try {
    storage.setItem(KEY, JSON.stringify({ workspaceId, removal } satisfies Kept))
  } catch {
    // Full, or forbidden.
  }
}

/** What `keepRemoval` kept of this workspace; null where there is none, or it is over. */
export function keptRemoval(
  storage: Pick<Storage, 'getItem'>,
  workspaceId: string | null,
  now: number,
): Removal | null {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Kept | null
    return kept?.workspaceId === workspaceId ? stillThere(kept.removal, now) : null
  } catch {
    return null
  }
}

export function forgetRemoval(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}

/**
 * Takes a deletion back, part after part. Where a part fails it stays to be asked for again, with those behind it; one that is over for good holds up nobody.
 * @param onRest told after each part what is left
 * @returns how many leads are back
 * @throws what a part failed with; where parts were only over, once the others are back
 */
export async function takeBack(
  removal: Removal,
  restore: (removalId: string) => Promise<{ restored: number }>,
  onRest: (rest: Removal) => void,
): Promise<number> {
  let restored = 0
  let over: unknown = null
  for (const [place, { id }] of removal.entries()) {
    try {
      restored += (await restore(id)).restored
    } catch (error) {
      if (errorCode(error) !== 'REMOVAL_NOT_FOUND') throw error
      over = error
    }
    onRest(removal.slice(place + 1))
  }
  if (over) throw over
  return restored
}
