import type { EventKind } from '@x-automated/contract/platform/events'
import type { NotificationFacts, NotificationKind } from '@x-automated/contract/platform/notifications'
import type { Limited, PlanLevel } from '@x-automated/contract/platform/plans'
import type { ReplyLabel } from '@x-automated/contract/reply-labels'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { XApi } from '../outside/x.ts'
import type { XActivity } from '../outside/x-activity.ts'
import type { XMessage } from '../outside/x-delivery.ts'
import type { XCaller } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import type { XAccount } from './messages/accounts.ts'

// What the core needs from domains. The core imports only their tables: connect-core.ts connects
// these functions at start.

/** The kinds of usage that plans limit per month. */
export type LimitedByMonth = 'scrapedLeads' | 'dms'

/** Usage and remaining allowance. `left` is Infinity if unlimited. */
export interface Allowance {
  plan: PlanLevel
  used: number
  left: number
}

/** The services that a call to X with an account's token needs. */
export type XNeeds = Pick<Services, 'database' | 'x' | 'xApps' | 'xMeters' | 'sealer'>

/** The accounts that a call accepts. Lost ones are tried only to find out whether X accepts them again. */
export type Accepted = 'connected' | 'connected or lost'

/** An account, with its token, on whose behalf X is called. */
export interface XAccountCaller extends XCaller, StoredToken {
  xUserId: string
  /** The account uses an app that its workspace brought. */
  isOwnApp: boolean
  /** When X may be called again, if the app has no credits; null: now. */
  fundsTryAt: Date | null
}

export interface CallOptions {
  accepted?: Accepted
  /** The account, if the caller has just read it. */
  caller?: XAccountCaller
  /** The purpose of looking people up. */
  purpose?: 'lookup' | 'scrape'
  /** The call checks whether an app has credits again. */
  isTry?: boolean
}

/** The fields from which an account's token is read. */
export type StoredToken = Pick<XAccount, 'status' | 'sealedAccessToken' | 'accessTokenExpiresAt'>

/** A reply, as its notification shows it. */
export interface NewReply {
  leadId: string
  accountXUserId: string
  label: ReplyLabel | null
  at: Date
}

/** Functions of domains, described where they are defined. */
export interface Neighbors {
  allowanceOf(db: Db, workspaceId: string, what: LimitedByMonth, options?: { lock?: boolean }): Promise<Allowance>
  beyondPlan(usage: Pick<Allowance, 'plan' | 'used'> & { left?: number }, what: Limited): Refusal
  factsOf(db: Db, workspaceId: string): Promise<{ plan: PlanLevel; achievements: readonly string[] }>
  findFilterLimit(db: Db, workspaceId: string, used: { fields: boolean; rules: boolean }): Promise<Refusal | null>
  planOf(db: Db, workspaceId: string): Promise<PlanLevel>
  usageOf(db: Db, workspaceId: string, what: LimitedByMonth): Promise<Usage>
  use(db: Db, workspaceId: string, what: LimitedByMonth, count: number): Promise<number>
  publishEvents(
    db: Db,
    workspaceId: string,
    kind: EventKind,
    ids: readonly string[],
    userId?: string | null,
  ): Promise<void>
  notifyOwners(tx: Db, workspaceId: string, kind: NotificationKind, facts: NotificationFacts): Promise<void>
  createTags(tx: Db, actor: { workspaceId: string }, names: readonly string[]): Promise<void>
  notifyReplies(tx: Db, workspaceId: string, replies: readonly NewReply[]): Promise<void>
  offerSenders(db: Db, messages: readonly XMessage[], ofApp: string | null): Promise<void>
  usableToken(needs: Pick<XNeeds, 'sealer'>, account: StoredToken): string | null
  withAccount<T>(
    needs: XNeeds,
    accountId: string,
    call: (x: XApi, accessToken: string) => Promise<T>,
    options?: CallOptions,
  ): Promise<T>
  storeHandle(db: Db, account: { userId: string; handle: string }, ofApp: string | null): Promise<void>
  ensureWebhook(db: Db, app: { id: string; activity: XActivity }, url: string, isNew?: boolean): Promise<string>
  saveDay(
    db: Db,
    app: { id: string; clientId: string; namedLimit: number | null },
    day: { limit: number | null; remaining: number; resetAt: Date },
  ): Promise<void>
  webhookUrl(context: { origin: string }, xAppId: string): string
  withFunds<T>(db: Db, appId: string, call: () => Promise<T>, isTry?: boolean): Promise<T>
  chargeMessage(from: SQL, mills: number | null): SQL
  fundsRefusal(db: Db, workspaceId: string): Promise<Refusal>
}

interface Usage {
  plan: PlanLevel
  usage: { limit: number | null; used: number; remaining: number | null; resetsAt: Date }
}

export let allowanceOf: Neighbors['allowanceOf']
export let beyondPlan: Neighbors['beyondPlan']
export let factsOf: Neighbors['factsOf']
export let findFilterLimit: Neighbors['findFilterLimit']
export let planOf: Neighbors['planOf']
export let usageOf: Neighbors['usageOf']
export let use: Neighbors['use']
export let publishEvents: Neighbors['publishEvents']
export let notifyOwners: Neighbors['notifyOwners']
export let createTags: Neighbors['createTags']
export let notifyReplies: Neighbors['notifyReplies']
export let offerSenders: Neighbors['offerSenders']
export let usableToken: Neighbors['usableToken']
export let withAccount: Neighbors['withAccount']
export let storeHandle: Neighbors['storeHandle']
export let ensureWebhook: Neighbors['ensureWebhook']
export let saveDay: Neighbors['saveDay']
export let webhookUrl: Neighbors['webhookUrl']
export let withFunds: Neighbors['withFunds']
export let chargeMessage: Neighbors['chargeMessage']
export let fundsRefusal: Neighbors['fundsRefusal']

/** Connects the core, once per process and before it is used. */
export function connect(neighbors: Neighbors): void {
  ;({
    allowanceOf,
    beyondPlan,
    factsOf,
    findFilterLimit,
    planOf,
    usageOf,
    use,
    publishEvents,
    notifyOwners,
    createTags,
    notifyReplies,
    offerSenders,
    usableToken,
    withAccount,
    storeHandle,
    ensureWebhook,
    saveDay,
    webhookUrl,
    withFunds,
    chargeMessage,
    fundsRefusal,
  } = neighbors)
}
