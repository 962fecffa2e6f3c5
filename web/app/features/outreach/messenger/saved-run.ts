import type { Lead } from '@x-automated/contract/leads/leads'
import type { SendResult } from './send-run'

/** The lead fields that a run needs. */
export type Recipient = Pick<Lead, 'id' | 'name' | 'twitterHandle'>

/** The result of a run for one lead. */
export interface RowResult {
  lead: Recipient
  result: SendResult
}

/** The remaining part of an interrupted run. */
export interface SavedRun {
  /** The prefix of the run's idempotency keys. A resumed run reuses it, so that no one is messaged twice. */
  runId: string
  message: string
  allowRepeat: boolean
  /** Leads that were not messaged yet. The outcome of the first one may be unknown. */
  leads: Recipient[]
}

const KEY = 'messengerRun'
/** Shorter than the server keeps idempotency keys. */
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
    // Malformed, so this app has not written it.
    return null
  }
}

/**
 * Saves the remaining part of a run, unless it is complete or the user is signed out. @param owner
 * user and workspace id
 */
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
    // Without storage, the run lasts as long as the page.
    discardRun(storage)
  }
}

/** Stops offering the unfinished run. */
export function discardRun(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}

const RESULTS_KEY = 'messengerResults'
/** How many results are stored. More would slow down each second of a run. */
export const RESULTS_MAX = 200

/** Keeps the latest results of the last run, for this tab and owner. */
export function saveResults(storage: Pick<Storage, 'setItem'>, owner: string, results: readonly RowResult[]): void {
  try {
    storage.setItem(RESULTS_KEY, JSON.stringify({ owner, results: results.slice(-RESULTS_MAX) }))
  } catch {
    // Without storage, the results last as long as the page.
  }
}

/** Loads the results of the last run. Empty for any other owner. */
export function loadResults(storage: Pick<Storage, 'getItem'>, owner: string): RowResult[] {
  try {
    const stored = JSON.parse(storage.getItem(RESULTS_KEY) ?? 'null') as { owner: string; results: RowResult[] } | null
    return stored?.owner === owner && Array.isArray(stored.results) ? stored.results : []
  } catch {
    // Malformed, so this app has not written it.
    return []
  }
}

const LAST_KEY = 'messengerLast'

/** Keeps the template of the last run, for this tab and owner. */
export function saveLastMessage(storage: Pick<Storage, 'setItem'>, owner: string, message: string): void {
  try {
    storage.setItem(LAST_KEY, JSON.stringify({ owner, message }))
  } catch {
    // Without storage, it lasts as long as the page.
  }
}

/** Loads the template of the last run. Null for any other owner. */
export function loadLastMessage(storage: Pick<Storage, 'getItem'>, owner: string): string | null {
  try {
    const stored = JSON.parse(storage.getItem(LAST_KEY) ?? 'null') as { owner: string; message: string } | null
    return stored?.owner === owner ? stored.message : null
  } catch {
    // Malformed, so this app has not written it.
    return null
  }
}
