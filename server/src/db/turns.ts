import { Refusal } from '../refusal.ts'

/** What wants a connection. Its `shape` is the text of a statement, or the name of a transaction's operation. */
interface Work {
  workspaceId: string
  shape: string
  /** How long it may wait, in milliseconds. */
  waitMs: number
  /** Something else limits how many of these run. */
  isUnjudged?: boolean
}

/** How long work of a shape took before. */
const PACES = ['slow', 'unknown', 'fast'] as const
type Pace = (typeof PACES)[number]

/** Work that took longer before is slow. */
const SLOW_MS = 200
/** Durations remembered, for pairs of a workspace and a shape. */
const DURATIONS_KEPT = 20_000
const SHAPES_KEPT = 5_000
const WORKSPACES_KEPT = 5_000
/** What a workspace has used counts half after this time. */
const HALF_LIFE_MS = 5_000

/** Connections that a workspace may hold, and all work of a pace with all that is slower. */
export function turnLimits(connections: number): Record<Pace | 'workspace', number> {
  return {
    workspace: Math.ceil(connections / 2),
    slow: Math.max(1, Math.floor(connections / 3)),
    unknown: Math.max(1, Math.floor((connections * 2) / 3)),
    fast: connections,
  }
}

export interface Turns {
  /**
   * Waits for a connection. @returns ends the turn @throws Refusal after `waitMs`: RATE_LIMITED, or UNAVAILABLE if
   * the database does not answer
   */
  take(work: Work): Promise<() => void>
}

/**
 * Shares `connections` between workspaces, which take turns, and between fast and slow work. The workspace that held
 * connections for the least time lately is next. @param isAnswering whether the database answers
 */
export function createTurns(connections: number, isAnswering: () => Promise<boolean>): Turns {
  const limits = turnLimits(connections)
  const durations = createDurations()
  const waiting = new Map<string, { pace: Pace; start(): void }[]>()
  const use = createUse()
  const running = { workspaces: new Map<string, number>(), slow: 0, unknown: 0, fast: 0 }

  const fits = (workspaceId: string, pace: Pace) =>
    (running.workspaces.get(workspaceId) ?? 0) < limits.workspace &&
    // A pace counts against its own limit and those of the faster ones.
    PACES.slice(PACES.indexOf(pace)).every((at) => heldBy(at) < limits[at])
  const heldBy = (pace: Pace) => PACES.slice(0, PACES.indexOf(pace) + 1).reduce((sum, at) => sum + running[at], 0)

  const count = (workspaceId: string, pace: Pace, by: 1 | -1) => {
    running[pace] += by
    const held = (running.workspaces.get(workspaceId) ?? 0) + by
    if (held > 0) running.workspaces.set(workspaceId, held)
    else running.workspaces.delete(workspaceId)
  }
  const startNext = () => {
    for (const workspaceId of use.leastFirst([...waiting.keys()])) {
      const queue = waiting.get(workspaceId) ?? []
      const place = queue.findIndex(({ pace }) => fits(workspaceId, pace))
      const [next] = place < 0 ? [] : queue.splice(place, 1)
      if (!next) continue
      // The last of those that have held connections for the same time.
      waiting.delete(workspaceId)
      if (queue.length > 0) waiting.set(workspaceId, queue)
      next.start()
      startNext()
      return
    }
  }

  return {
    async take({ workspaceId, shape, waitMs, isUnjudged = false }) {
      const pace = isUnjudged ? 'fast' : durations.paceOf(workspaceId, shape)
      await new Promise<void>((resolve, reject) => {
        const start = () => {
          clearTimeout(deadline)
          count(workspaceId, pace, 1)
          resolve()
        }
        const entry = { pace, start }
        const deadline = setTimeout(async () => {
          const left = waiting.get(workspaceId)?.filter((other) => other !== entry) ?? []
          if (left.length > 0) waiting.set(workspaceId, left)
          else waiting.delete(workspaceId)
          reject((await isAnswering()) ? tooMany() : new Refusal('UNAVAILABLE', undefined, { retryAfterSeconds: 1 }))
        }, waitMs)
        const queue = waiting.get(workspaceId)
        if (queue) queue.push(entry)
        else waiting.set(workspaceId, [entry])
        startNext()
      })
      const began = performance.now()
      return () => {
        const ms = performance.now() - began
        use.add(workspaceId, ms)
        if (!isUnjudged) durations.note(workspaceId, shape, ms)
        count(workspaceId, pace, -1)
        startNext()
      }
    },
  }
}

const tooMany = () => new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 2 })

/** How long each workspace has held connections lately. */
function createUse() {
  const used = createRecent<{ ms: number; at: number }>(WORKSPACES_KEPT)
  const now = (workspaceId: string) => {
    const { ms, at } = used.get(workspaceId) ?? { ms: 0, at: 0 }
    return ms * 0.5 ** ((performance.now() - at) / HALF_LIFE_MS)
  }
  return {
    add: (workspaceId: string, ms: number) =>
      used.set(workspaceId, { ms: now(workspaceId) + ms, at: performance.now() }),
    leastFirst(workspaceIds: string[]): string[] {
      const by = new Map(workspaceIds.map((id) => [id, now(id)]))
      return workspaceIds.sort((a, b) => (by.get(a) ?? 0) - (by.get(b) ?? 0))
    },
  }
}

/** How long work took lately, per workspace and shape. A shape that is new in a workspace is judged by the others. */
function createDurations() {
  /** Short names of the shapes. */
  const shapes = createRecent<string>(SHAPES_KEPT)
  const durations = createRecent<number>(DURATIONS_KEPT)
  let named = 0
  const nameOf = (shape: string) => {
    const name = shapes.get(shape) ?? String(named++)
    shapes.set(shape, name)
    return name
  }
  return {
    paceOf(workspaceId: string, shape: string): Pace {
      const name = nameOf(shape)
      const ms = durations.get(`${name} ${workspaceId}`) ?? durations.get(name)
      return ms === undefined ? 'unknown' : ms > SLOW_MS ? 'slow' : 'fast'
    },
    note(workspaceId: string, shape: string, ms: number): void {
      const name = nameOf(shape)
      // A slow one stays slow for a few runs, so that cheap calls cannot hide it.
      for (const key of [`${name} ${workspaceId}`, name])
        durations.set(key, Math.max(ms, (durations.get(key) ?? 0) / 2))
    },
  }
}

/** A map of the entries that were set last. */
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
