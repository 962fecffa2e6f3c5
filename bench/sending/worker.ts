import { randomUUID } from 'node:crypto'
import { claimDue } from '../../server/src/core/messages/claim.ts'
import { record } from '../../server/src/core/messages/record.ts'
import { openLiveness } from '../../server/src/db/liveness.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { receive } from '../../server/src/domains/outreach/replies/detection.ts'
import { startSender } from '../../server/src/jobs/sender.ts'
import { openSenderServices } from './services.ts'

/* A worker process that claims and records messages, sends them, or records replies, as fast as
   possible. sending.ts starts it, and signals when to begin. */

export type Task =
  /** Stops after the time or the number of messages. */
  | { kind: 'claims'; seconds: number; dailyDmCap: number; count?: number; perSecond?: number }
  | { kind: 'sends'; seconds: number; dailyDmCap: number; answerMs: number }
  | { kind: 'replies'; answers: { leadXUserId: string; accountXUserId: string }[]; perSecond?: number }
export interface Done {
  /** Milliseconds of each call. A call claims and records a message, sends one, or records a reply. */
  times: number[]
  /** Milliseconds of the claims alone. */
  claims: number[]
  seconds: number
}

const database = openDatabase(process.argv[2] ?? '', { max: 6 })
process.on('message', async (task: Task) => {
  const done = await work(task)
  process.send?.(done satisfies Done)
  await database.close()
  process.disconnect()
})
process.send?.('ready')

function work(task: Task): Promise<Done> {
  if (task.kind === 'claims') return claim(task)
  return task.kind === 'sends' ? sendAll(task) : answer(task)
}

async function claim({
  seconds,
  dailyDmCap,
  count = Infinity,
  perSecond = Infinity,
}: Extract<Task, { kind: 'claims' }>): Promise<Done> {
  const liveness = await openLiveness(database)
  const limits = { sendIntervalSeconds: 0, dailyDmCap, isRealX: false, messageMills: 15, x: null }
  const done: Done = { times: [], claims: [], seconds: 0 }
  const began = performance.now()
  while (performance.now() - began < seconds * 1_000 && done.times.length < count) {
    await waitFor(began + (1_000 * done.times.length) / perSecond)
    const start = performance.now()
    const { claimed: message, isIdle } = await claimDue(database.db, liveness.workerId, limits)
    if (!message) {
      if (isIdle) await new Promise((resolve) => setTimeout(resolve, 1))
      continue
    }
    const claimedAt = performance.now()
    await record(database.db, [
      { claimed: message, verdict: { kind: 'sent', eventId: randomUUID(), mills: 15 }, failures: 0 },
    ])
    done.claims.push(claimedAt - start)
    done.times.push(performance.now() - start)
  }
  done.seconds = (performance.now() - began) / 1_000
  await liveness.close()
  return done
}

async function sendAll({ seconds, ...x }: Extract<Task, { kind: 'sends' }>): Promise<Done> {
  const done: Done = { times: [], claims: [], seconds }
  const { services, close } = openSenderServices(database, { ...x, onSent: () => done.times.push(x.answerMs) })
  const sender = await startSender(services)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  await sender.close()
  await close()
  return done
}

async function answer({ answers: replies, perSecond = Infinity }: Extract<Task, { kind: 'replies' }>): Promise<Done> {
  const done: Done = { times: [], claims: [], seconds: 0 }
  const began = performance.now()
  for (const { leadXUserId, accountXUserId } of replies) {
    await waitFor(began + (1_000 * done.times.length) / perSecond)
    const start = performance.now()
    const message = {
      kind: 'message' as const,
      eventId: randomUUID(),
      senderId: leadXUserId,
      recipientId: accountXUserId,
      text: 'Tell me more',
      isEncrypted: false,
      at: new Date(),
      handles: {},
    }
    await receive(database.db, [message])
    done.times.push(performance.now() - start)
  }
  done.seconds = (performance.now() - began) / 1_000
  return done
}

/** Waits until this moment. @param moment as a value of `performance.now()` */
async function waitFor(moment: number): Promise<void> {
  const ms = moment - performance.now()
  if (ms > 1) await new Promise((resolve) => setTimeout(resolve, ms))
}
