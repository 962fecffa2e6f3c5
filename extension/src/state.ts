import { browser } from 'wxt/browser'

/** What the extension remembers over restarts of the browser, and the popup shows. */
export interface State {
  /** The popup's switch. */
  paused: boolean
  /** The part of X's page that this version did not find. While it stands nothing is tried. */
  pageChanged: { part: string; version: string } | null
  lastResult: { handle: string; error: string | null; at: number } | null
  /** Who was last seen signed in at x.com; a null handle says that nobody was. */
  account: { handle: string | null; at: number } | null
}

const INITIAL: State = { paused: false, pageChanged: null, lastResult: null, account: null }

export async function readState(): Promise<State> {
  return browser.storage.local.get<State>(INITIAL)
}

export async function changeState(change: Partial<State>): Promise<void> {
  await browser.storage.local.set(change)
}

/** Calls back at each change, whoever made it. */
export function onStateChange(changed: () => void): void {
  browser.storage.local.onChanged.addListener(changed)
}

/** What keeps the extension from X's page, if this version found it changed. An update looks again. */
export function changedPart({ pageChanged }: State): string | null {
  return pageChanged?.version === browser.runtime.getManifest().version ? pageChanged.part : null
}
