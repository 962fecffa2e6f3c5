import { ORPCError } from '@orpc/client'
import { errorCode } from '../../api'

/** What is there to take one part of a deletion back by. It is kept before the part is asked for. */
interface RemovalPart {
  id: string
  /** Its deletion: the id of the first part. */
  of: string
  /** How many leads it held; null while nobody has said. */
  count: number | null
  /** When it was asked for, in milliseconds since 1970. */
  at: number
  /** It was asked back. */
  isComingBack?: true
}
/** By when they were asked for. */
export type Removal = RemovalPart[]

/** One deletion, and what of it can be taken back. */
export interface Deletion {
  of: string
  parts: Removal
}

export const removedCount = (removal: Removal): number => removal.reduce((sum, { count }) => sum + (count ?? 0), 0)

const isGone = (error: unknown) => errorCode(error) === 'REMOVAL_NOT_FOUND'

/** Did the server answer that it has not done it, and will not? */
export const isRefused = (error: unknown) => error instanceof ORPCError && error.status < 500

/** For so long each part of a deletion can be taken back, in milliseconds. */
const KEPT_MS = 3_600_000
/** For so long a part that the server knows nothing of may still be waiting for its turn there, in milliseconds. */
const QUEUED_MS = 300_000
const KEY = 'last-removal-of-leads'

interface KeyValueStorage {
  workspaceId: string | null
  removal: Removal
}

/** The parts that can still be taken back; null: none. */
export function undoableParts(removal: Removal | null, now: number): Removal | null {
  const rest = removal?.filter(({ at }) => now - at < KEPT_MS) ?? []
  return rest.length > 0 ? rest : null
}

/** The last deletion that surely happened; null: there is none. */
export function lastDeletion(removal: Removal | null): Deletion | null {
  const known = removal?.findLast(({ count }) => count !== null)
  return removal && known ? { of: known.of, parts: removal.filter(({ of }) => of === known.of) } : null
}

/** Without what was deleted before the last deletion that surely happened: the one before stays while nobody has told whether there is a newer. */
function fromTheLast(removal: Removal): Removal {
  const last = lastDeletion(removal)
  return last ? removal.slice(removal.findIndex(({ of }) => of === last.of)) : removal
}

/** What is kept once these are the parts of one deletion; none: it never happened, is back, or was dismissed. */
export function withDeletion(removal: Removal | null, { of, parts }: Deletion): Removal {
  const others = removal?.filter((part) => part.of !== of) ?? []
  return fromTheLast([...others, ...parts].toSorted((one, other) => one.at - other.at))
}

/** What is kept once more is known of these parts. */
export function withSettled(removal: Removal | null, parts: Settled['parts']): Removal {
  return fromTheLast((removal ?? []).flatMap((part) => (parts.has(part.id) ? (parts.get(part.id) ?? []) : part)))
}

/** In how many milliseconds to ask what became of parts that nobody has told of: the longer it is unknown, the more seldom. False: all is known. */
export function nextPollMs(removal: Removal, now: number): number | false {
  const unknown = removal.findLast(({ count }) => count === null)
  return unknown ? Math.min(60_000, Math.max(3_000, (now - unknown.at) / 4)) : false
}

/** May the server come to a part that it does not know? */
const mayStillCome = ({ count, at }: RemovalPart, now: number) => count === null && now - at < QUEUED_MS

/** Keeps the last deletion of this tab, so that it is there when the page is loaded anew. Where there is no room, only until then. */
export function saveRemoval(storage: Pick<Storage, 'setItem'>, workspaceId: string | null, removal: Removal): void {
  try {
    storage.setItem(KEY, JSON.stringify({ workspaceId, removal } satisfies KeyValueStorage))
  } catch {
    // Full, or forbidden.
  }
}

/** What `saveRemoval` kept of this workspace; null where there is none, or it is over. */
export function loadRemoval(
  storage: Pick<Storage, 'getItem'>,
  workspaceId: string | null,
  now: number,
): Removal | null {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as KeyValueStorage | null
    return kept?.workspaceId === workspaceId ? undoableParts(kept.removal, now) : null
  } catch {
    return null
  }
}

export function clearRemoval(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}

/** What became of each part whose answer was lost, with the page that asked or with its connection. */
export interface Settled {
  /** By id: what is known of a part now; null: there is nothing to take back. */
  parts: Map<string, RemovalPart | null>
  restored: number
}

/** Asks what became of parts that nobody has told of; what was asked back comes back. Where nobody can tell yet, a part stays as it is. */
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
      if (part.isComingBack) {
        settled.restored += (await ask.restore(part.id)).restored
        settled.parts.set(part.id, null)
      } else if (part.count === null) settled.parts.set(part.id, { ...part, count: (await ask.find(part.id)).removed })
    } catch (error) {
      if (isGone(error)) {
        if (!mayStillCome(part, now())) settled.parts.set(part.id, null)
      } else if (part.isComingBack && isRefused(error)) settled.parts.set(part.id, notComingBack(part))
    }
  }
  return settled
}

/** It is no longer asked back, until somebody asks anew. */
function notComingBack({ isComingBack: _, ...part }: RemovalPart): RemovalPart {
  return part
}

/** How many leads an Undo brought back, and how many an earlier one had whose answer was lost. */
export interface UndoResult {
  restored: number
  wereBack: number
}

/**
 * Takes a deletion back, part after part. Where a part fails it stays to be asked for again, with those behind it; one that is over for good holds up nobody.
 * @param onRest told before and after each part what is left
 * @throws what a part failed with; where parts were only over, once the others are back
 */
export async function takeBack(
  removal: Removal,
  restore: (removalId: string) => Promise<{ restored: number }>,
  onRest: (rest: Removal) => void,
  now: () => number,
): Promise<UndoResult> {
  const back: UndoResult = { restored: 0, wereBack: 0 }
  let over: unknown = null
  /** The server may still come to delete these. */
  const late: Removal = []
  for (const [place, part] of removal.entries()) {
    const rest = removal.slice(place + 1)
    onRest([...late, { ...part, isComingBack: true }, ...rest])
    try {
      back.restored += (await restore(part.id)).restored
    } catch (error) {
      if (!isGone(error)) {
        if (isRefused(error)) onRest([...late, notComingBack(part), ...rest])
        throw error
      }
      // One of which nobody had told may be back already, or was never gone.
      if (mayStillCome(part, now())) late.push(part)
      else if (part.isComingBack) back.wereBack += part.count ?? 0
      else if (part.count !== null) over = error
    }
    onRest([...late, ...rest])
  }
  if (over) throw over
  return back
}

const leads = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'lead' : 'leads'}`

/** '12 leads restored' */
export function undoneText({ restored, wereBack }: UndoResult): string {
  if (wereBack === 0) return `${leads(restored)} restored`
  if (restored === 0) return `${leads(wereBack)} ${wereBack === 1 ? 'is' : 'are'} back already`
  return `${leads(restored)} restored, ${wereBack.toLocaleString('en-US')} ${wereBack === 1 ? 'was' : 'were'} back already`
}
