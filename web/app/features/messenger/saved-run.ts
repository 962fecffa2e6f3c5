import type { Lead } from '@x-automated/contract/leads'

/** Whom a run writes to, as much of them as it needs. */
export type Recipient = Pick<Lead, 'id' | 'name' | 'twitterHandle'>

/** What a run still has to do. */
export interface SavedRun {
  /** Begins the keys of its messages: with the same one nobody is written to twice. */
  runId: string
  message: string
  allowRepeat: boolean
  /** Who was not written to yet; of the first of them it may not be known. */
  leads: Recipient[]
}

const KEY = 'messengerRun'
/** Shorter than the server remembers the keys of its messages. */
const KEPT_MS = 23 * 3_600_000

type Stored = SavedRun & { owner: string; at: number }

/**
 * What is left of a run in this tab, so that it may go on after the page was left or loaded anew.
 * @param owner whose run it is: nobody else sees it
 */
export function loadRun(storage: Pick<Storage, 'getItem'>, owner: string): SavedRun | null {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Stored | null
    return kept?.owner === owner && kept.leads.length > 0 && Date.now() - kept.at < KEPT_MS ? kept : null
  } catch {
    // Not written by us.
    return null
  }
}

/**
 * Keeps what is left; nothing where that is nobody, or where its owner was signed out while it ran.
 * @param owner their id, a space, and their workspace's
 * @param signedInAs the id of who is signed in now
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
    // Where there is no room for it, it lasts as long as the page.
    discardRun(storage)
  }
}

export function discardRun(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY)
}
