import { Refusal } from '../refusal.ts'

/** A statement or transaction that needs a connection. */
interface Work {
  workspaceId: string
  /** The text of a statement, or the operation of a transaction. */
  shape: string
  /** How long the work may wait, in milliseconds. */
  waitMs: number
  /** The work changes nothing, so it never waits for a lock. */
  isRead?: boolean
  /** Exempt from the limits on slow work: something else limits how many of these run. */
  isUnjudged?: boolean
}

/** How fast work is, judged by how long work of the same shape took before. */
const PACES = ['slow', 'unknown', 'fast'] as const
type Pace = (typeof PACES)[number]

/** Work is slow if earlier work of its shape took longer than this. */
const SLOW_MS = 100
/**
 * Slow work mostly keeps a processor busy. A slow change counts as young until it has run for this
 * long; after that, it may only be waiting for a lock. A slow read counts for its whole run.
 */
const YOUNG_MS = 1_000
const RETRY_AFTER_SECONDS = { min: 2, max: 30 }
/** Number of remembered durations. Each is of a shape in a workspace. */
const DURATIONS_KEPT = 20_000
const SHAPES_KEPT = 5_000
const WORKSPACES_KEPT = 5_000
/** Weight of the expected duration. If many workspaces each use little, short work must go first. */
const EXPECTED_WEIGHT = 4
/** Half-life of the time for which a workspace has held connections. */
const HALF_LIFE_MS = 5_000

/** How many connections a workspace may hold, and how many a pace may hold together with the slower ones. */
export function turnLimits(connections: number): Record<Pace | 'workspace' | 'young', number> {
  return {
    workspace: Math.ceil(connections / 2),
    young: Math.max(1, Math.floor(connections / 6)),
    slow: Math.max(1, Math.floor(connections / 3)),
    unknown: Math.max(1, Math.floor((connections * 2) / 3)),
    fast: connections,
  }
}

export interface Turns {
  /**
   * Waits for a connection. @returns a function that ends the turn @throws Refusal after `waitMs`:
   * RATE_LIMITED, or UNAVAILABLE if the database does not respond
   */
  take(work: Work): Promise<() => void>
}

/**
 * Shares `connections` between workspaces, which take turns, and between fast and slow work. Next
 * is the workspace that has recently held connections for the least time, counting how long its
 * work is expected to take. @param isAnswering whether the database responds
 */
export function createTurns(connections: number, isAnswering: () => Promise<boolean>): Turns {
  const limits = turnLimits(connections)
  const durations = createDurations()
  const use = createUse()
  const running = new Set<Turn>()
  const waiting = new Map<string, Waiting[]>()

  const heldBy = (workspaceId: string) => [...running].filter((turn) => turn.workspaceId === workspaceId)
  const hasRoom = ({ pace, isRead }: Pick<Turn, 'pace' | 'isRead'>) => {
    const isBusy = (turn: Turn) => turn.isYoung || (isRead && turn.isRead && turn.pace === 'slow')
    if (pace === 'slow' && [...running].filter(isBusy).length >= limits.young) return false
    // A pace counts against its own limit and those of the faster ones.
    return PACES.slice(PACES.indexOf(pace)).every(
      (at) => [...running].filter((turn) => PACES.indexOf(turn.pace) <= PACES.indexOf(at)).length < limits[at],
    )
  }
  /** How long a workspace has recently held connections, in milliseconds, including those it holds now. */
  const usedBy = (workspaceId: string) =>
    heldBy(workspaceId).reduce((ms, { began }) => ms + performance.now() - began, use.of(workspaceId))

  const startNext = () => {
    if (running.size >= limits.fast) return
    const [first] = [...waiting]
      .flatMap(([workspaceId, entries]) => {
        if (heldBy(workspaceId).length >= limits.workspace) return []
        const next = entries.find(hasRoom)
        return next ? [{ workspaceId, next, rank: usedBy(workspaceId) + EXPECTED_WEIGHT * next.expectedMs }] : []
      })
      .sort((a, b) => a.rank - b.rank)
    if (!first) return
    removeWaiting(first.workspaceId, first.next)
    first.next.start()
    startNext()
  }
  /** Removes an entry. @returns the entries of the workspace that still wait */
  const removeWaiting = (workspaceId: string, entry: Waiting) => {
    const left = waiting.get(workspaceId)?.filter((other) => other !== entry) ?? []
    // Add the workspace again at the end, so that it comes after workspaces that have held
    // connections for the same time.
    waiting.delete(workspaceId)
    if (left.length > 0) waiting.set(workspaceId, left)
    return left
  }
  const begin = (workspaceId: string, pace: Pace, isRead: boolean): Turn => {
    const turn = { workspaceId, pace, isRead, began: performance.now(), isYoung: pace === 'slow' }
    running.add(turn)
    if (turn.isYoung)
      setTimeout(() => {
        turn.isYoung = false
        startNext()
      }, YOUNG_MS).unref()
    return turn
  }

  return {
    async take({ workspaceId, shape, waitMs, isRead = false, isUnjudged = false }) {
      const expectedMs = isUnjudged ? 0 : durations.of(workspaceId, shape)
      const pace: Pace = expectedMs === undefined ? 'unknown' : expectedMs > SLOW_MS ? 'slow' : 'fast'
      const turn = await new Promise<Turn>((resolve, reject) => {
        const start = () => {
          clearTimeout(deadline)
          resolve(begin(workspaceId, pace, isRead))
        }
        const entry = { pace, isRead, expectedMs: expectedMs ?? 0, start }
        const deadline = setTimeout(async () => {
          const { length } = removeWaiting(workspaceId, entry)
          reject((await isAnswering()) ? tooMany(length) : unavailable())
        }, waitMs)
        waiting.set(workspaceId, [...(waiting.get(workspaceId) ?? []), entry])
        startNext()
      })
      return () => {
        const ms = performance.now() - turn.began
        use.add(workspaceId, ms)
        if (!isUnjudged) durations.note(workspaceId, shape, ms)
        running.delete(turn)
        startNext()
      }
    },
  }
}

interface Turn {
  workspaceId: string
  pace: Pace
  isRead: boolean
  began: number
  /** Slow, and has run for less than YOUNG_MS. */
  isYoung: boolean
}

interface Waiting {
  pace: Pace
  isRead: boolean
  /** How long earlier runs took, in milliseconds; 0: unknown. */
  expectedMs: number
  start(): void
}

const unavailable = () => new Refusal('UNAVAILABLE', undefined, { retryAfterSeconds: 1 })
/** The more requests of the workspace wait, the later this one may retry: those refused together return one by one. */
const tooMany = (waiting: number) => {
  const { min, max } = RETRY_AFTER_SECONDS
  return new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: Math.min(Math.max(waiting, min), max) })
}

/** Records how long each workspace has recently held connections, in milliseconds. */
function createUse() {
  const used = createRecent<{ ms: number; at: number }>(WORKSPACES_KEPT)
  const of = (workspaceId: string) => {
    const { ms, at } = used.get(workspaceId) ?? { ms: 0, at: 0 }
    return ms * 0.5 ** ((performance.now() - at) / HALF_LIFE_MS)
  }
  return {
    of,
    add: (workspaceId: string, ms: number) =>
      used.set(workspaceId, { ms: of(workspaceId) + ms, at: performance.now() }),
  }
}

/**
 * Records how long work of each shape took in each workspace. For a shape that is new in a
 * workspace, the first durations in other workspaces count.
 */
function createDurations() {
  /** Short names of the shapes. */
  const shapes = createRecent<string>(SHAPES_KEPT)
  const durations = createRecent<Duration>(DURATIONS_KEPT)
  let named = 0
  const nameOf = (shape: string) => {
    const name = shapes.get(shape) ?? String(named++)
    shapes.set(shape, name)
    return name
  }
  return {
    of(workspaceId: string, shape: string): number | undefined {
      const name = nameOf(shape)
      return (durations.get(`${name} ${workspaceId}`) ?? durations.get(name))?.ms
    },
    note(workspaceId: string, shape: string, last: number): void {
      const name = nameOf(shape)
      const [own, ofNew] = [durations.get(`${name} ${workspaceId}`), durations.get(name)]
      // One slow run among fast ones may be due to a busy machine.
      durations.set(`${name} ${workspaceId}`, { ms: slower(own ? Math.min(last, own.last) : last, own), last })
      // Only a workspace's first run counts here: frequent fast runs in one must not hide slow first runs in others.
      durations.set(name, own && ofNew ? ofNew : { ms: slower(last, ofNew), last })
    },
  }
}

/** The duration by which a shape is judged, and that of its last run, in milliseconds. */
interface Duration {
  ms: number
  last: number
}

/** Slow work stays slow for a few runs: a few cheap calls must not make it fast. */
const slower = (ms: number, before?: Duration) => Math.max(ms, (before?.ms ?? 0) / 2)

/** A map that keeps the `max` entries that were set last. */
function createRecent<V>(max: number) {
  const entries = new Map<string, V>()
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: V): void {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    },
  }
}
