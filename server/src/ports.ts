import type { SQL } from 'drizzle-orm'
import type { Db } from './db/open.ts'
import type { SignUpReferral } from './domains/identity/auth/tables.ts'
import type { xApps } from './domains/platform/x-apps/tables.ts'
import type { Email } from './emails/email.ts'
import type { XApi } from './outside/x.ts'
import type { XActivity } from './outside/x-activity.ts'
import type { XMeter } from './outside/x-billing.ts'
import type { XBillable } from './outside/x-prices.ts'
import type { Refusal } from './refusal.ts'
import type { Limits } from './requests/limits.ts'

// Interfaces to jobs and to higher areas. start.ts connects each with its implementation.

/** Every kind of job, with its data. */
export interface Jobs {
  /** An email, encrypted: it may contain a login link. */
  mail: { sealed: string }
  /** Looks up an account and sends the requested email; encrypted, as it may contain a code. */
  'account-mail': { sealed: string }
  /** Sends an email about an account. */
  'account-mail-send': { sealed: string }
  /** Continues a scrape from its cursor. */
  scrape: { scrapeId: string }
  /** Watches every connected X account for replies. */
  'find-watches': Record<string, never>
  /** Checks an X account's subscriptions or reads its messages, when they are due. */
  'watch-replies': { xUserId: string }
  /** Reads texts from X that were not stored for lack of consent (core/replies/missing-texts.ts). */
  'read-back': {
    accountId: string
    /** Only messages up to this time are read. */
    until: string
    /** Continues after this conversation. */
    before: { at: string; leadId: string } | null
    /** How many conversations may still be read. */
    left: number
    /** How often the next conversation failed. */
    failures: number
  }
  /** Sends notifications about X apps without credits, and checks whether these can call X again. */
  'x-funds': Record<string, never>
  /** Reads the current handles of connected X accounts, and of leads that have lost their handle. */
  'read-handles': Record<string, never>
  /** Delivers what is due at a webhook endpoint. */
  'webhook-endpoint': { endpointId: string }
  /** Syncs a subscription with the payment provider. */
  payment: { subscriptionId: string }
  /** Ends the subscription of a deleted workspace. */
  'payment-end': { subscriptionId: string }
  /** Polls the payment provider for missed events. */
  'payments-look': Record<string, never>
  /** Removes credits older than 7 days from the weekly leaderboard. */
  'expire-week': Record<string, never>
  'waitlist-rewards': Record<string, never>
  /** Continues the A/B tests that are due. */
  'judge-tests': Record<string, never>
  /** Queues people whose first message waits for the plan's limit. */
  'launch-parts': Record<string, never>
  /** Finds the first names of leads stored before the product stored first names. */
  'first-names': Record<string, never>
  /** Reopens conversations whose snooze has ended. */
  'end-snoozes': Record<string, never>
  /** Asks models about replies that the classifier is unsure about. */
  'second-opinions': Record<string, never>
  /** Continues bulk work on leads (domains/platform/jobs). */
  job: { workspaceId: string; jobId: string }
  /** Deletes expired data. */
  cleanup: Record<string, never>
}
export type JobName = keyof Jobs

export interface JobQueue {
  /**
   * Enqueues a job in the caller's transaction. @param options.startAfterSeconds earliest start
   * from now @param options.key on a `short` queue, at most one waiting job per key @param
   * options.group only one job of a group runs at a time, over all processes
   */
  enqueue<N extends JobName>(
    db: Db,
    name: N,
    data: Jobs[N],
    options?: { startAfterSeconds?: number; key?: string; group?: string },
  ): Promise<void>
  /**
   * Sets when the waiting job with this key starts, or enqueues one. No process starts it before
   * the caller's transaction commits. @param options.at now if missing @param options.group only
   * one job of a group runs at a time, over all processes
   */
  reschedule<N extends JobName>(
    db: Db,
    name: N,
    data: Jobs[N],
    options: { key: string; group: string; at?: Date },
  ): Promise<void>
  /** Enqueues many jobs in one statement. */
  enqueueAll<N extends JobName>(db: Db, name: N, all: readonly Jobs[N][]): Promise<void>
  /** Processes jobs, `concurrency` at a time here. A handler that throws is retried later. */
  work<N extends JobName>(name: N, concurrency: number, handler: (data: Jobs[N]) => Promise<void>): Promise<void>
  /** Waits for running jobs, at most `graceSeconds`. */
  close(graceSeconds: number): Promise<void>
}

/** Queues emails, to be sent once the transaction commits. */
export interface Outbox {
  post(db: Db, mail: Email): Promise<void>
  /** Queues an email about the user's account. The user is waiting for it, so it never waits behind other emails. */
  postAccount(db: Db, mail: Email): Promise<void>
  /** Queues many in one statement. */
  postAll(db: Db, mails: readonly Email[]): Promise<void>
}

/** The services that changes of the waitlist need. */
export interface WaitlistContext {
  env: { authSecret: string; waitlistConfirmRequired: boolean }
  origin: string
  outbox: Outbox
  jobs: JobQueue
}

interface Client {
  address: string
  addressHash: string
  networkHash?: string | null
}

/** The waitlist, for accounts: every kind of sign-up joins it (domains/waitlist/waitlist/waitlist.ts). */
export interface Waitlist {
  join(
    context: WaitlistContext & { db: Db; limits: Limits; request: Client },
    input: { email: string; referralCode?: string },
  ): Promise<unknown>
  joinOnSignUp(context: WaitlistContext & { db: Db }, userId: string, referral: SignUpReferral | null): Promise<void>
  findSignUpReferral(
    context: { db: Db; env: { authSecret: string }; request: Client },
    referralCode: string | undefined,
  ): Promise<SignUpReferral | null>
  findMailboxOwner(db: Db, email: string): Promise<string | null>
  moveMember(context: WaitlistContext & { db: Db }, userId: string, email: string): Promise<void>
}

/** The services that sign-up needs: the waitlist and its context. */
export interface SignUpContext extends WaitlistContext {
  waitlist: Waitlist
}

/** Plans, for the people of a workspace (domains/platform/billing/plan.ts). */
export interface Plans {
  findPeopleLimit(db: Db, workspaceId: string): Promise<Refusal | null>
}

/** The inbox, for people who can no longer open it (domains/outreach/conversations/conversations.ts). */
export interface Inbox {
  releaseMember(tx: Db, workspaceId: string, userId: string): Promise<void>
}

/** The API keys of a workspace, for people who leave it or are no longer admins. */
export interface ApiKeys {
  /** Deletes the keys for which a person is responsible. */
  removeOf(tx: Db, workspaceId: string, userId: string): Promise<void>
  /** Suspends a person's keys, and notifies the workspace's owner. */
  suspendOf(tx: Db, workspaceId: string, userId: string): Promise<void>
}

/** An X account on whose behalf X is called. */
export interface XCaller {
  workspaceId: string
  accountId: string
  appId: string
  /** The workspace has a spending limit, so each call reserves what it may cost. */
  isLimited: boolean
}

/** Counts what X charges (domains/platform/x-costs/meter.ts). */
export interface XMeters {
  /** What X charges for a message, in thousandths of a dollar. */
  messageMills: number
  /** Meters the calls for an account. @param purpose of looking people up */
  of(caller: XCaller, purpose: 'lookup' | 'scrape'): XMeter
  /** Counts what X charges an app for one of its accounts. The caller knows only the account's X id. */
  count(charge: XBillable & { accountXUserId: string; appId: string; purpose: 'events' | 'lookup' }): void
  /** Writes what was counted so far. */
  flush(): Promise<void>
  /** Writes the remaining counts. */
  close(): Promise<void>
}

/** Work that waits until X or the spending limit allows more costs (domains/platform/x-costs). */
export interface XWork {
  resume(db: Db, workspaceId: string): Promise<void>
}

/** Sending, for suppressions and restored leads (core/messages/stop.ts). */
export interface Sending {
  stopMessages(tx: Db, workspaceId: string, leadIds: SQL): Promise<number>
  requeueRestored(context: { db: Db; jobs: JobQueue }, workspaceId: string, leadIds: SQL): Promise<void>
}

/** An X app as the rest of the product uses it. */
export interface XAppClient {
  id: string
  clientId: string
  /** Signs accounts in, and renews and revokes their tokens. */
  x: XApi
  /** Null: X cannot notify us, because the operator's app lacks a consumer secret or its own token. */
  activity: XActivity | null
}

/** The secrets of an X app. */
export interface XAppSecrets {
  clientId: string
  clientSecret: string
  consumerSecret: string
  bearerToken: string
}

type XAppRow = typeof xApps.$inferSelect

/** The X apps of this server (domains/platform/x-apps/engine.ts). */
export interface XApps {
  /** Null if the operator has no app. Then each workspace needs its own. */
  operator: XAppClient | null
  /** Returns the app with these secrets, stored or not. Null: X is not configured. */
  open(id: string, secrets: XAppSecrets): XAppClient | null
  openRow(row: XAppRow): XAppClient | null
  /** The secrets as they are stored. */
  seal(
    secrets: XAppSecrets,
  ): Pick<XAppRow, 'clientId' | 'sealedClientSecret' | 'sealedConsumerSecret' | 'sealedBearerToken'>
  /** A workspace's own app, with its current secrets; null: unknown, or removed. */
  findOwn(db: Db, id: string): Promise<XAppClient | null>
  /** The operator's app, or a workspace's own. */
  find(db: Db, id: string): Promise<XAppClient | null>
  /** The app with which a workspace connects accounts; null: it needs its own. */
  findOf(db: Db, workspaceId: string): Promise<XAppClient | null>
}
