import type { SignedPages } from '@x-automated/contract/outreach/extension-pages'
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from './db/channels.ts'
import type { RequestWorker } from './db/liveness.ts'
import type { Database } from './db/open.ts'
import type { Auth } from './domains/identity/auth/tokens.ts'
import type { Unreadables } from './domains/overview/operator/unreadable.ts'
import type { Events } from './domains/platform/events/events.ts'
import type { Env } from './env.ts'
import type { Dns } from './outside/dns.ts'
import type { Google } from './outside/google.ts'
import type { Models } from './outside/models.ts'
import type { Payments } from './outside/payments.ts'
import type { SafeFetch } from './outside/safe-fetch.ts'
import type { XApi } from './outside/x.ts'
import type { XActivity } from './outside/x-activity.ts'
import type { Pictures } from './pictures.ts'
import type { ApiKeys, Inbox, JobQueue, Outbox, Plans, Sending, Waitlist, XApps, XMeters, XWork } from './ports.ts'
import type { Limits } from './requests/limits.ts'
import type { Sealer } from './sealing.ts'

/** What the domains depend on: created once per process and passed to every request. */
export interface Services {
  env: Env
  log: FastifyBaseLogger
  /** The origin used in links. */
  origin: string
  database: Database
  channels: Channels
  /** Live events of this process. */
  events: Events
  jobs: JobQueue
  outbox: Outbox
  auth: Auth
  waitlist: Waitlist
  plans: Plans
  sending: Sending
  inbox: Inbox
  apiKeys: ApiKeys
  limits: Limits
  /** Null if X is not configured. Only for calls with an account's token: other calls go through the account's app. */
  x: XApi | null
  xApps: XApps
  /** Count what X charges. */
  xMeters: XMeters
  xWork: XWork
  /** Owns messages that a request sends itself. */
  requestWorker: RequestWorker
  /** The activity API of the operator's app. Null if X cannot notify us: its secret or app token is missing. */
  xActivity: XActivity | null
  /** Counts data from X that we cannot read. */
  unreadables: Unreadables
  /** Null if Google is not configured. */
  google: Google | null
  /** Null if payments are not configured. */
  payments: Payments | null
  dns: Dns
  /** Calls AI models. */
  models: Models
  pictures: Pictures
  /** For URLs given by users. */
  safeFetch: SafeFetch
  /** Seals X tokens. */
  sealer: Sealer
  /** Seals client secrets of workspaces' identity providers. */
  ssoSealer: Sealer
  /** Seals workspaces' keys of AI models. */
  writerSealer: Sealer
  /** Version of the served browser extension; null if it was not built. */
  extensionVersion: string | null
  /** Signed selectors for X's pages, for the extension; null if there are none. */
  extensionPages: SignedPages | null
  isDraining(): boolean
}
