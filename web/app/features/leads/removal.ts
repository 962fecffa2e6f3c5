import { errorCode } from '../../api'

/** What is there to take one part of a deletion back by. It is kept before the part is asked for. */
interface RemovalPart {
  id: string
  /** How many leads it held; null while nobody has said. */
  count: number | null
  /** When it was asked for, in milliseconds since 1970. */
  at: number
  /** It was asked back. */
  isComingBack?: true
}
export type Removal = RemovalPart[]

export const removedCount = (removal: Removal): number => removal.reduce((sum, { count }) => sum + (count ?? 0), 0)

const isGone = (error: unknown) => errorCode(error) === 'REMOVAL_NOT_FOUND'

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

/** What became of each part whose answer was lost, with the page that asked or with its connection. */
export interface Settled {
  /** By id: what is known of a part now; null: there is nothing to take back. */
  parts: Map<string, RemovalPart | null>
  restored: number
}

/** Asks what became of parts that nobody has told of; what was asked back comes back. Where nobody can tell, a part stays as it is. */
export async function settle(
  removal: Removal,
  ask: {
    find: (id: string) => Promise<{ removed: number }>
    restore: (id: string) => Promise<{ restored: number }>
  },
): Promise<Settled> {
  const settled: Settled = { parts: new Map(), restored: 0 }
  for (const part of removal) {
    try {
      if (part.isComingBack) {
        settled.restored += (await ask.restore(part.id)).restored
        settled.parts.set(part.id, null)
      } else if (part.count === null) settled.parts.set(part.id, { ...part, count: (await ask.find(part.id)).removed })
    } catch (error) {
      if (isGone(error)) settled.parts.set(part.id, null)
    }
  }
  return settled
}

/**
 * Takes a deletion back, part after part. Where a part fails it stays to be asked for again, with those behind it; one that is over for good holds up nobody.
 * @param onRest told before and after each part what is left
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
  for (const [place, part] of removal.entries()) {
    const rest = removal.slice(place + 1)
    onRest([{ ...part, isComingBack: true }, ...rest])
    try {
      restored += (await restore(part.id)).restored
    } catch (error) {
      if (!isGone(error)) throw error
      // One of which nobody had told may be back already, or was never gone.
      if (part.count !== null && !part.isComingBack) over = error
    }
    onRest(rest)
  }
  if (over) throw over
  return restored
}
