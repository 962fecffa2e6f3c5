import type { ExtensionActivity } from '@x-automated/contract/outreach/extension'
import type { ExtensionState } from '@x-automated/contract/outreach/extension-pairings'
import { browser } from 'wxt/browser'
import type { Pairing } from './product.ts'

/** The extension's persistent state, which the popup shows. */
export interface State {
  /** The popup's switch. */
  paused: boolean
  /** The part of X's page that this version did not find. Nothing is sent until it is cleared. */
  pageChanged: { part: string; version: string } | null
  lastResult: { handle: string; error: string | null; at: number } | null
  /** The account last seen on x.com. The handle is null if no one was signed in. */
  account: { handle: string | null; at: number } | null
  pairing: Pairing | null
  /** Whether it may send while no page of the product is open. */
  sendsInBackground: boolean
  /** The product's last response. */
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

/** A value that survives the worker, until the browser closes. Null if it was never written. */
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

/** The missing part of X's page, if this version reported it. An update checks again. */
export function changedPart({ pageChanged }: State): string | null {
  return pageChanged?.version === browser.runtime.getManifest().version ? pageChanged.part : null
}

/** Subscribes to changes of settings: pause, background sending, pairing, check again. */
export function onSettingChange(changed: () => void): void {
  const settings = ['paused', 'pageChanged', 'sendsInBackground', 'pairing']
  browser.storage.local.onChanged.addListener((changes) => {
    if (settings.some((name) => name in changes)) changed()
  })
}
