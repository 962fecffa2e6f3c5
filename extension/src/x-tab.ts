import { browser } from 'wxt/browser'
import type { Page } from './send.ts'
import { sessionValue } from './state.ts'
import type { Answer, Command } from './wire.ts'

const xTab = sessionValue<number>('xTab')

const ORIGIN = 'https://x.com'
const ARRIVAL_MS = 20_000
/** Longer than the script's own timeouts, so that its more specific error arrives first. */
const ANSWER_MS = 45_000

/** The extension's own background tab. Tabs of the user are never used. */
export function createXTab() {
  let tabId: number | undefined
  /** The document in which our script last reported. */
  let here: string | undefined
  let waiting: ((documentId: string) => void) | undefined
  // A tab's script may report before `tabs.create` returns.
  const early = new Map<number, string>()

  function arrive(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ARRIVAL_MS)
      waiting = (documentId) => {
        clearTimeout(timer)
        waiting = undefined
        here = documentId
        resolve(true)
      }
    })
  }

  /** A previous worker's tab, if it still exists. */
  async function lastTab(): Promise<number | undefined> {
    const lastTabId = await xTab.read()
    return lastTabId === null ? undefined : (await browser.tabs.get(lastTabId).catch(() => undefined))?.id
  }

  const page: Page = {
    arrive,
    async load(path) {
      here = undefined
      early.clear()
      const url = ORIGIN + path
      tabId = await lastTab()
      if (tabId !== undefined) {
        const arrived = arrive()
        await browser.tabs.update(tabId, { url })
        return arrived
      }
      const tab = await browser.tabs.create({ url, active: false })
      tabId = tab.id
      if (tabId === undefined) return false
      await xTab.write(tabId)
      const arrived = arrive()
      const already = early.get(tabId)
      if (already !== undefined) waiting?.(already)
      return arrived
    },
    async ask<C extends Command>(command: C): Promise<Answer<C['do']> | null> {
      if (tabId === undefined || here === undefined) return null
      const response = browser.tabs
        .sendMessage<Command, Answer<C['do']>>(tabId, command, { documentId: here })
        .catch(() => null)
      const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), ANSWER_MS))
      return (await Promise.race([response, timeout])) ?? null
    },
    async show() {
      const tab = tabId === undefined ? undefined : await browser.tabs.get(tabId).catch(() => undefined)
      if (!tab?.id || tab.active) return false
      await browser.tabs.update(tab.id, { active: true })
      return true
    },
  }

  return {
    page,
    /** Called when our script has loaded in a document of this tab. */
    scriptLoaded(inTab: number, documentId: string) {
      if (inTab === tabId && waiting) waiting(documentId)
      else early.set(inTab, documentId)
    },
  }
}
