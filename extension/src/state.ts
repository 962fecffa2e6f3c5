import type { ExtensionActivity } from '@x-automated/contract/extension'
import type { ExtensionState } from '@x-automated/contract/extension-pairings'
import { browser } from 'wxt/browser'
import type { Pairing } from './product.ts'

/** What the extension remembers over restarts of the browser, and the popup shows. */
export interface State {
  /** The popup's switch. */
  paused: boolean
  /** The part of X's page that this version did not find. While it stands nothing is tried. */
  pageChanged: { part: string; version: string } | null
  lastResult: { handle: string; error: string | null; at: number } | null
  /** Who was last seen signed in at x.com; a null handle says that nobody was. */
  account: { handle: string | null; at: number } | null
  pairing: Pairing | null
  /** May it send while no page of the product is open? */
  sendsInBackground: boolean
  /** What the product said last. */
  remote: ExtensionState | null
}

const INITIAL: State = {
  paused: false,
  pageChanged: null,
  lastResult: null,
  account: null,
  pairing: null,
  sendsInBackground: false,
  remote: null,
}

export async function readState(): Promise<State> {
  const stored = await browser.storage.local.get<Partial<State> & { sendsAlone?: boolean }>()
  const { sendsAlone = INITIAL.sendsInBackground, ...state } = stored
  // Versions before 1.0 stored the permission as `sendsAlone`. Drop it in 1.1.
  return { ...INITIAL, sendsInBackground: sendsAlone, ...state }
}

export async function changeState(change: Partial<State>): Promise<void> {
  await browser.storage.local.set(change)
}

/** What it is about right now; a browser that was closed has forgotten it. */
export async function readActivity(): Promise<ExtensionActivity> {
  const { activity } = await browser.storage.session.get('activity')
  return (activity as ExtensionActivity | undefined) ?? { doing: 'nothing' }
}

export async function setActivity(activity: ExtensionActivity): Promise<void> {
  await browser.storage.session.set({ activity })
}

/** Calls back at each change, whoever made it. */
export function onStateChange(changed: () => void): void {
  browser.storage.local.onChanged.addListener(changed)
  browser.storage.session.onChanged.addListener(changed)
}

/** What keeps the extension from X's page, if this version found it changed. An update looks again. */
export function changedPart({ pageChanged }: State): string | null {
  return pageChanged?.version === browser.runtime.getManifest().version ? pageChanged.part : null
}

/** Calls back when somebody has changed what it may do: paused, allowed to send alone, paired, told to check the page again. */
export function onSettingChange(changed: () => void): void {
  const settings = ['paused', 'pageChanged', 'sendsInBackground', 'pairing']
  browser.storage.local.onChanged.addListener((changes) => {
    if (settings.some((name) => name in changes)) changed()
  })
}
