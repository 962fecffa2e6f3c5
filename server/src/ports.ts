import type { Db } from './db/open.ts'
import type { Email } from './emails/email.ts'

/** Every kind of job, with its data. */
export interface Jobs {
  /** An email, encrypted: it may contain a login link. */
  mail: { sealed: string }
  /** Looks up an account and sends the requested email; encrypted, as it may contain a code. */
  'account-mail': { sealed: string }
  /** Continues a scrape from its cursor. */
  scrape: { scrapeId: string }
  /** Delivers due webhooks. */
  webhooks: Record<string, never>
  /** Syncs a subscription with the payment provider. */
  payment: { subscriptionId: string }
  /** Ends the subscription of a deleted workspace. */
  'payment-end': { subscriptionId: string }
  /** Polls the payment provider for missed events. */
  'payments-look': Record<string, never>
  /** Removes credits older than 7 days from the weekly leaderboard. */
  'expire-week': Record<string, never>
  /** Deletes expired data. */
  cleanup: Record<string, never>
}
export type JobName = keyof Jobs

export interface JobQueue {
  /**
   * Enqueues a job in the caller's transaction. @param options.startAfterSeconds earliest start
   * from now @param options.key on a `short` queue, at most one waiting job per key
   */
  enqueue<N extends JobName>(
    db: Db,
    name: N,
    data: Jobs[N],
    options?: { startAfterSeconds?: number; key?: string },
  ): Promise<void>
  /** Enqueues many jobs in one statement. */
  enqueueAll<N extends JobName>(db: Db, name: N, all: readonly Jobs[N][]): Promise<void>
  /**
   * Starts processing jobs, `concurrency` at a time in this process. A handler that throws is
   * retried later.
   */
  work<N extends JobName>(name: N, concurrency: number, handler: (data: Jobs[N]) => Promise<void>): Promise<void>
  /** Waits for running jobs, at most `graceSeconds`. */
  close(graceSeconds: number): Promise<void>
}

/** Queues emails, to be sent once the transaction commits. */
export interface Outbox {
  post(db: Db, mail: Email): Promise<void>
  /** Queues many in one statement. */
  postAll(db: Db, mails: readonly Email[]): Promise<void>
}
