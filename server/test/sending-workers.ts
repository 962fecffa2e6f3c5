import { type Claimed, claimDue } from '../src/core/messages/claim.ts'
import { send, TIMING } from '../src/core/messages/deliver.ts'
import { record, type Verdict } from '../src/core/messages/record.ts'
import { expireLeases, settle, takeOver } from '../src/core/messages/settle.ts'
import { openLiveness } from '../src/db/liveness.ts'
import { createSession } from '../src/db/session.ts'
import { createSessionLocks } from '../src/db/session-locks.ts'
import { isUnavailable } from '../src/db/unavailable.ts'
import type { TestApp } from './open-app.ts'

// Workers like those of jobs/sender.ts, run step by step, so that a test can kill or stop one
// between steps.

interface WorkerClaim {
  claimed: Claimed
  verdict: Verdict | null
}
interface Worker {
  name: string
  id: number
  claims: WorkerClaim[]
  /** The worker's current step. Its steps run one after the other. */
  busy: Promise<unknown>
  die(): Promise<void>
}

/**
 * Creates workers by name, each on first use. @param read reads an account's conversations, which a
 * follow-up waits for
 */
export function openWorkers(app: TestApp, read: (xUserId: string) => Promise<void>) {
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
      claims: [],
      busy: Promise.resolve(),
      async die() {
        starting.delete(name)
        workers.delete(name)
        worker.claims = []
        await session.close()
      },
    }
    workers.set(name, worker)
    return worker
  }
  /** Runs a step after the worker's current one, unless the worker died. */
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
        for (let count = 0; count < most; ) {
          const { claimed, isIdle, unread } = await claimDue(app.db, worker.id, app.services.env)
          if (unread) await read(unread)
          if (isIdle) return
          if (!claimed) continue
          worker.claims.push({ claimed, verdict: null })
          count += 1
        }
      }),
    send: (name: string) =>
      have(name, async (worker) => {
        const claim = worker.claims.find(({ verdict }) => verdict === null)
        if (!claim) return
        // As in jobs/sender.ts: an error before the call to X means that nothing was sent.
        claim.verdict = await send(app.services, claim.claimed, TIMING).catch((error): Verdict => {
          if (!isUnavailable(error)) throw error
          return { kind: 'later' }
        })
      }),
    record: (name: string) =>
      have(name, async (worker) => {
        const claim = worker.claims.find(({ verdict }) => verdict !== null)
        if (!claim?.verdict) return
        await record(app.db, [{ claimed: claim.claimed, verdict: claim.verdict, failures: 1 }])
        worker.claims.splice(worker.claims.indexOf(claim), 1)
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
