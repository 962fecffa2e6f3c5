import { createSession } from '../src/db/session.ts'
import { createSessionLocks } from '../src/db/session-locks.ts'
import { isUnavailable } from '../src/db/unavailable.ts'
import { type Claimed, claimDue, TIMING } from '../src/domains/sending/engine.ts'
import { record, send, type Verdict } from '../src/domains/sending/engine-sending.ts'
import { settle, takeOver } from '../src/domains/sending/engine-settling.ts'
import { expireLeases } from '../src/domains/sending/service.ts'
import { openLiveness } from '../src/jobs/liveness.ts'
import type { TestApp } from './open-app.ts'

// Processes that send, as jobs/sender.ts has them, one step at a time: so that a test can have one die, or stand still, between any two.

interface Hand {
  claimed: Claimed
  verdict: Verdict | null
}
export interface Worker {
  name: string
  id: number
  hands: Hand[]
  /** Its own steps come one after the other. */
  busy: Promise<unknown>
  die(): Promise<void>
}

/** As many as are named, each begun when it is first named. */
export function openWorkers(app: TestApp) {
  const workers = new Map<string, Worker>()
  const starting = new Map<string, Promise<Worker>>()
  function workerNamed(name: string): Promise<Worker> {
    const started = starting.get(name) ?? startWorker(name)
    starting.set(name, started)
    started.catch(() => starting.delete(name))
    return started
  }
  async function startWorker(name: string): Promise<Worker> {
    const session = createSession(() => app.services.database.connect())
    const liveness = await openLiveness({ db: app.db, locks: createSessionLocks(session) }).catch(async (error) => {
      await session.close()
      throw error
    })
    const worker: Worker = {
      name,
      id: liveness.workerId,
      hands: [],
      busy: Promise.resolve(),
      async die() {
        starting.delete(name)
        workers.delete(name)
        worker.hands = []
        await session.close()
      },
    }
    workers.set(name, worker)
    return worker
  }
  /** Lets the worker do something, after what it is doing; if it has died of that, nothing. */
  async function have(name: string, work: (worker: Worker) => Promise<unknown>): Promise<void> {
    const worker = await workerNamed(name)
    const done = worker.busy.then(async () => {
      if (workers.get(name) === worker) await work(worker)
    })
    worker.busy = done.catch(() => {})
    await done
  }

  return {
    workers,
    workerNamed,

    claim: (name: string, most: number) =>
      have(name, async (worker) => {
        for (let claims = 0; claims < most; ) {
          const { claimed, isIdle } = await claimDue(app.db, worker.id, app.services.env)
          if (isIdle) return
          if (!claimed) continue
          worker.hands.push({ claimed, verdict: null })
          claims += 1
        }
      }),
    send: (name: string) =>
      have(name, async (worker) => {
        const hand = worker.hands.find(({ verdict }) => verdict === null)
        if (!hand) return
        // As jobs/sender.ts: what failed before the call to X was certainly not sent.
        hand.verdict = await send(app.services, hand.claimed, TIMING).catch((error): Verdict => {
          if (!isUnavailable(error)) throw error
          return { kind: 'later' }
        })
      }),
    record: (name: string) =>
      have(name, async (worker) => {
        const hand = worker.hands.find(({ verdict }) => verdict !== null)
        if (!hand?.verdict) return
        await record(app.db, [{ claimed: hand.claimed, verdict: hand.verdict, failures: 1 }])
        worker.hands.splice(worker.hands.indexOf(hand), 1)
      }),
    die: (name: string) => have(name, (worker) => worker.die()),
    async sweep() {
      await expireLeases(app.db)
      await takeOver(app.db)
      await settle(app.services, TIMING)
    },
    async endWorkers() {
      await Promise.all([...starting.values()].map(async (worker) => (await worker.catch(() => null))?.die()))
    },
  }
}
