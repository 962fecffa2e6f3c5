import type { Lead } from '@x-automated/contract/leads/leads'
import type { SendResult } from './send-run'

/** The lead fields that a run needs. */
export type Recipient = Pick<Lead, 'id' | 'name' | 'twitterHandle'>

/** A run's result for one lead. */
export interface RowResult {
  lead: Recipient
  result: SendResult
}

/** What remains of an interrupted run. */
export interface SavedRun {
  /** The prefix of the run's idempotency keys. Resuming reuses it, so that nobody is messaged twice. */
  runId: string
  message: string
  allowRepeat: boolean
  /** Leads that have not been messaged. The outcome for the first one may be unknown. */
  leads: Recipient[]
}

const KEY = 'messengerRun'
/** Must be shorter than the server keeps idempotency keys. */
const EXPIRES_AFTER_MS = 23 * 3_600_000

type Stored = SavedRun & { owner: string; at: number }

/** Loads this tab's interrupted run after a reload. Null for any other owner. */
export function loadRun(storage: Pick<Storage, 'getItem'>, owner: string): SavedRun | null {
  try {
    const stored = JSON.parse(storage.getItem(KEY) ?? 'null') as Stored | null
    return stored?.owner === owner && stored.leads.length > 0 && Date.now() - stored.at < EXPIRES_AFTER_MS
      ? stored
      : null
  } catch {
    // Not written by this app.
    return null
  }
}

/** Saves what remains of a run, unless it is complete or the user is signed out. @param owner user and workspace id */
export function saveRun(
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
  owner: string,
  signedInAs: string | null,
  run: SavedRun,
): void {
  if (signedInAs === null || !owner.startsWith(`${signedInAs} `)) return
  const leads = run.leads.map(({ id, name, twitterHandle }) => ({ id, name, twitterHandle }))
  try {
    if (leads.length === 0) discardRun(storage)
    else storage.setItem(KEY, JSON.stringify({ ...run, leads, owner, at: Date.now() } satisfies Stored))
  } catch {
    // Without storage, a run lasts only as long as the page.
    discardRun(storage)
  }
}

/** Discards the interrupted run. */
export function discardRun(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}

const RESULTS_KEY = 'messengerResults'
/** How many results are stored. More would slow down every second of a run. */
export const RESULTS_MAX = 200

/** Stores the latest results of the last run, for this tab and owner. */
export function saveResults(storage: Pick<Storage, 'setItem'>, owner: string, results: readonly RowResult[]): void {
  try {
    storage.setItem(RESULTS_KEY, JSON.stringify({ owner, results: results.slice(-RESULTS_MAX) }))
  } catch {
    // Without storage, results last only as long as the page.
  }
}

/** Loads the results of the last run. Empty for any other owner. */
export function loadResults(storage: Pick<Storage, 'getItem'>, owner: string): RowResult[] {
  try {
    const stored = JSON.parse(storage.getItem(RESULTS_KEY) ?? 'null') as { owner: string; results: RowResult[] } | null
    return stored?.owner === owner && Array.isArray(stored.results) ? stored.results : []
  } catch {
    // Not written by this app.
    return []
  }
}

const LAST_KEY = 'messengerLast'

/** Stores the template of the last run, for this tab and owner. */
export function saveLastMessage(storage: Pick<Storage, 'setItem'>, owner: string, message: string): void {
  try {
    storage.setItem(LAST_KEY, JSON.stringify({ owner, message }))
  } catch {
    // Without storage, the template lasts only as long as the page.
  }
}

/** Loads the template of the last run. Null for any other owner. */
export function loadLastMessage(storage: Pick<Storage, 'getItem'>, owner: string): string | null {
  try {
    const stored = JSON.parse(storage.getItem(LAST_KEY) ?? 'null') as { owner: string; message: string } | null
    return stored?.owner === owner ? stored.message : null
  } catch {
    // Not written by this app.
    return null
  }
}
