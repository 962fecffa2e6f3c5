import type { ExtensionActivity } from '@x-automated/contract/outreach/extension'
import type { ExtensionState } from '@x-automated/contract/outreach/extension-pairings'
import { browser } from 'wxt/browser'
import type { Pairing } from './product.ts'
import type { StoredPages } from './signed-pages.ts'

/** The extension's persistent state, which the popup shows. */
export interface State {
  /** Whether sending is turned off by the popup's switch. */
  paused: boolean
  /**
   * The part of X's page that was not found, and the version that looked for it (`versionOf`).
   * Nothing is sent until it is cleared or the version changes.
   */
  pageChanged: { part: string; version: string } | null
  lastResult: { handle: string; error: string | null; at: number } | null
  /** The account last seen on x.com. The handle is null if nobody was signed in. */
  account: { handle: string | null; at: number } | null
  pairing: Pairing | null
  /** Whether the extension may send while no page of the product is open. */
  sendsInBackground: boolean
  /** The product's last response. */
  remote: ExtensionState | null
  /** The selectors for X's pages that the product served; null: use the shipped ones. */
  servedPages: StoredPages | null
}

const INITIAL: State = {
  paused: false,
  pageChanged: null,
  lastResult: null,
  account: null,
  pairing: null,
  sendsInBackground: false,
  remote: null,
  servedPages: null,
}

export async function readState(): Promise<State> {
  const stored = await browser.storage.local.get<Partial<State> & { sendsAlone?: boolean }>()
  const { sendsAlone = INITIAL.sendsInBackground, ...state } = stored
  // Versions before 1.0 stored the permission as `sendsAlone`. Remove it in 1.1.
  return { ...INITIAL, sendsInBackground: sendsAlone, ...state }
}

export async function changeState(change: Partial<State>): Promise<void> {
  await browser.storage.local.set(change)
}

/** A value that outlives the worker, but not the browser. Null if it was never written. */
export function sessionValue<Value>(name: string) {
  return {
    read: async () => ((await browser.storage.session.get(name))[name] ?? null) as Value | null,
    write: (value: Value | null) => browser.storage.session.set({ [name]: value }),
  }
}

const activity = sessionValue<ExtensionActivity>('activity')

/** The current activity. */
export async function readActivity(): Promise<ExtensionActivity> {
  return (await activity.read()) ?? { doing: 'nothing' }
}

export const setActivity = activity.write

/** Subscribes to every change. */
export function onStateChange(changed: () => void): void {
  browser.storage.local.onChanged.addListener(changed)
  browser.storage.session.onChanged.addListener(changed)
}

/** The version of the extension and of the product's page data. Together they decide which parts are found. */
export function versionOf({ servedPages }: Pick<State, 'servedPages'>): string {
  return `${browser.runtime.getManifest().version}/${servedPages?.version ?? 0}`
}

/** The missing part of X's page. Null if no part is missing, or if another version (`versionOf`) reported it. */
export function changedPart(state: State): string | null {
  const { pageChanged } = state
  return pageChanged?.version === versionOf(state) ? pageChanged.part : null
}

/** Subscribes to changes of settings: pause, background sending, pairing, 'Check again' and page data. */
export function onSettingChange(changed: (names: string[]) => void): void {
  const settings = ['paused', 'pageChanged', 'sendsInBackground', 'pairing', 'servedPages']
  browser.storage.local.onChanged.addListener((changes) => {
    const names = settings.filter((name) => name in changes)
    if (names.length > 0) changed(names)
  })
}
