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
  /** Waits for a connection. @returns ends the turn @throws Refusal RATE_LIMITED after `waitMs` */
  take(work: Work): Promise<() => void>
}

/** Shares `connections` between workspaces, which take turns, and between fast and slow work. */
export function createTurns(connections: number): Turns {
  const limits = turnLimits(connections)
  const durations = createDurations()
  /** In the order of their next turns. */
  const waiting = new Map<string, { pace: Pace; start(): void }[]>()
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
    for (const [workspaceId, queue] of waiting) {
      const place = queue.findIndex(({ pace }) => fits(workspaceId, pace))
      const [next] = place < 0 ? [] : queue.splice(place, 1)
      if (!next) continue
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
        const deadline = setTimeout(() => {
          const left = waiting.get(workspaceId)?.filter((other) => other !== entry) ?? []
          if (left.length > 0) waiting.set(workspaceId, left)
          else waiting.delete(workspaceId)
          reject(new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 2 }))
        }, waitMs)
        waiting.set(workspaceId, [...(waiting.get(workspaceId) ?? []), entry])
        startNext()
      })
      const began = performance.now()
      return () => {
        if (!isUnjudged) durations.note(workspaceId, shape, performance.now() - began)
        count(workspaceId, pace, -1)
        startNext()
      }
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
