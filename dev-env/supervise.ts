import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Delay before each restart. After the last failure, the supervisor gives up. */
const RESTART_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** After running this long, a program restarts with the shortest delay again. */
const STEADY_MS = 60_000
/** Longer than the server's own shutdown limit in server/src/run.ts. */
const STOP_MS = 50_000

export interface Supervised {
  /** The first start's message. Never settles if that start fails; then `giveUp` is called. */
  ready: Promise<unknown>
  /** Stops the program and starts it again immediately. */
  restart(): void
  /** Ends the program and keeps it from starting again. */
  stop(): Promise<void>
  isRunning(): boolean
}

export interface SuperviseOptions {
  /** As in "The server ended". */
  name: string
  launch(): ChildProcess
  /** The `type` of the message that reports readiness. Without it, the program counts as ready once launched. */
  readyType?: string
  /** Called with the message that reports readiness after each restart. */
  onReadyAgain?(message: unknown): void
  say(line: string): void
  /** Called with a sentence if the program cannot start. */
  giveUp(why: string): void
  delaysMs?: readonly number[]
  /** Milliseconds between SIGTERM and SIGKILL. */
  stopMs?: number
}

/**
 * Restarts a program whenever it ends, with growing delays. A failed first start is not retried.
 */
export function supervise(options: SuperviseOptions): Supervised {
  const {
    name,
    readyType,
    onReadyAgain = () => {},
    say,
    giveUp,
    delaysMs = RESTART_DELAYS_MS,
    stopMs = STOP_MS,
  } = options
  let child: ChildProcess
  let isStopping = false
  let isRestarting = false
  let startsWithoutReady = 0
  let restarts = 0
  const stopped = new AbortController()
  const first = Promise.withResolvers<unknown>()

  const launch = (isFirst: boolean) => {
    let readyAt = readyType === undefined ? performance.now() : undefined
    child = options.launch()
    child.on('message', (message: { type?: string }) => {
      if (message?.type !== readyType) return
      readyAt = performance.now()
      startsWithoutReady = 0
      if (isFirst) return first.resolve(message)
      say(`Restarted the ${name}.`)
      onReadyAgain(message)
    })
    const onEnd = (how: string) => {
      if (isStopping) return
      if (isRestarting) {
        isRestarting = false
        return launch(false)
      }
      if (isFirst && readyAt === undefined) return giveUp(`${how} during startup.`)
      if (readyAt !== undefined && performance.now() - readyAt > STEADY_MS) restarts = 0
      if (readyAt === undefined) startsWithoutReady += 1
      if (startsWithoutReady >= delaysMs.length)
        return giveUp(`Gave up on the ${name} after ${startsWithoutReady} failed starts.`)
      const delayMs = delaysMs[Math.min(restarts, delaysMs.length - 1)] ?? 0
      restarts += 1
      say(`${how}. Restarting it in ${delayMs / 1_000} s.`)
      void sleep(delayMs, undefined, { signal: stopped.signal }).then(
        () => launch(false),
        () => {},
      )
    }
    child.once('exit', (code, signal) => onEnd(`The ${name} exited (${signal ?? `code ${code}`})`))
    // If the process could not be created, for example for lack of memory, no exit event follows.
    child.once('error', (error) => {
      if (child.pid === undefined) onEnd(`The ${name} could not be started (${error.message})`)
    })
  }
  const terminate = async () => {
    const ending = child
    const exit = once(ending, 'exit')
    ending.kill('SIGTERM')
    const ended = await Promise.race([exit, sleep(stopMs, undefined, { ref: false })])
    if (!ended) ending.kill('SIGKILL')
    await exit
  }
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null

  launch(true)
  return {
    ready: first.promise,
    isRunning,
    restart() {
      // A stopped program is about to be started anyway.
      if (!isRunning() || isStopping) return
      isRestarting = true
      void terminate()
    },
    async stop() {
      isStopping = true
      stopped.abort()
      if (!isRunning()) return
      await terminate()
    },
  }
}
