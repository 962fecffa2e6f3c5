import {
  type CheckReply,
  type ExtensionFailure,
  type ExtensionStatusReply,
  RUN_PORT,
  type SendDmReply,
} from '@x-automated/contract/outreach/extension'
import { verdictOf } from '@x-automated/contract/outreach/sending-run'
import { browser } from 'wxt/browser'
import { defineBackground } from 'wxt/utils/define-background'
import shippedPages from '../../pages.json'
import pagesKey from '../../pages-key.json'
import { createBackgroundSender } from '../background-sender.ts'
import { failure, unavailable } from '../failure.ts'
import { createMessenger } from '../messenger.ts'
import { isAllowedOrigin, productOrigin } from '../origin.ts'
import { createPages } from '../pages.ts'
import { pairWith, unpair } from '../pairing.ts'
import { createProduct, ProductError } from '../product.ts'
import { type Message, readRequest } from '../request.ts'
import { createSignedPages } from '../signed-pages.ts'
import { changedPart, changeState, onSettingChange, readActivity, readState, setActivity } from '../state.ts'
import { isNotice, isPopupRequest, type PopupRequest } from '../wire.ts'

export default defineBackground(() => {
  const messenger = createMessenger()
  const backgroundSender = createBackgroundSender(messenger)
  const pages = createPages()
  // Discard what an earlier worker was doing.
  readActivity()
    .then(({ doing }) => (doing === 'sending' || doing === 'waiting' ? setActivity({ doing: 'nothing' }) : undefined))
    .then(backgroundSender.wake)
  onSettingChange((names) => {
    // X may have changed its page, or the user clicked 'Check again': the product may have newer page data.
    if (names.includes('pageChanged')) refreshPages(true)
    backgroundSender.retryNow()
  })
  browser.runtime.onInstalled.addListener(() => refreshPages(true))
  browser.runtime.onStartup.addListener(() => refreshPages(true))
  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name === PAGES_ALARM) refreshPages(false)
  })
  // Creating the alarm again would restart its period.
  browser.alarms.get(PAGES_ALARM).then((alarm) => {
    if (!alarm) return browser.alarms.create(PAGES_ALARM, { periodInMinutes: 60 })
  })

  browser.runtime.onMessageExternal.addListener((request, sender, reply) => {
    answer(request, sender).catch(unavailable).then(reply)
    return true
  })
  browser.runtime.onConnectExternal.addListener((port) => {
    if (port.name !== RUN_PORT || !isAllowedOrigin(port.sender?.origin, productMatches())) return port.disconnect()
    backgroundSender.yieldToPage(port)
    pages.add(port)
  })
  browser.runtime.onMessage.addListener((message, sender, reply) => {
    if (sender.id !== browser.runtime.id) return
    if (isPopupRequest(message)) {
      handlePopupRequest(message).catch(unavailable).then(reply)
      return true
    }
    if (!isNotice(message)) return
    if (message.notice === 'account') {
      saveAccount(message.handle)
      return
    }
    if (sender.tab?.id !== undefined && sender.documentId !== undefined)
      messenger.scriptLoaded(sender.tab.id, sender.documentId)
    signedPages
      .read()
      .catch(() => null)
      .then(reply)
    return true
  })

  async function answer(
    request: unknown,
    { origin, documentId }: { origin?: string | undefined; documentId?: string | undefined },
  ): Promise<SendDmReply | CheckReply | ExtensionStatusReply | ExtensionFailure> {
    if (origin === undefined || !isAllowedOrigin(origin, productMatches())) return failure({ code: 'FORBIDDEN_ORIGIN' })
    const read = readRequest(request)
    switch (read.action) {
      case 'INVALID':
        return failure({ code: 'INVALID_REQUEST', detail: read.problem })
      case 'SEND_TWITTER_DM':
        return sendForPage(read.message, documentId)
      case 'CHECK_SENDING':
        return messenger.check(read.sendsAs)
      case 'GET_STATUS':
        return readStatus()
      case 'PAIR':
        return pairAndReadStatus(origin, read.code)
      case 'UNPAIR':
        await unpair()
        return readStatus()
      case 'SET_BACKGROUND_SENDING':
        await changeState({ sendsInBackground: read.allowed })
        return readStatus()
    }
  }

  /**
   * Sends a page's message. Also reports the outcome, because the page may have closed in the
   * meantime. Reporting twice changes nothing.
   */
  async function sendForPage(message: Message, documentId: string | undefined): Promise<SendDmReply> {
    const reply = await messenger.sendOnce(message, (claim) => pages.ask(documentId, claim))
    const { pairing } = await readState()
    const { outcome } = verdictOf(reply)
    const isCertain = typeof outcome === 'object' && (outcome?.wasSent || outcome?.outcomeUnknown)
    if (pairing && message.dmId && message.id && isCertain)
      createProduct(pairing).record({ dmId: message.dmId, lease: message.id }, outcome).catch(console.warn)
    return reply
  }

  async function handlePopupRequest(request: PopupRequest) {
    const origin = productOrigin(productMatches())
    if (request.popup === 'pair') return origin ? pairAndReadStatus(origin, request.code) : readStatus()
    if (request.popup === 'unpair') await unpair()
    else await backgroundSender.retryNow()
    return readStatus()
  }

  /** Saves which account is signed in to X. Retries if it changed, because that may fix what stopped the sender. */
  async function saveAccount(handle: string | null) {
    const { account } = await readState()
    await changeState({ account: { handle, at: Date.now() } })
    if (handle !== account?.handle) await backgroundSender.retryNow()
  }
})

const PAGES_ALARM = 'pages'

const signedPages = createSignedPages({
  shippedVersion: shippedPages.version,
  publicKey: pagesKey.publicKey,
  store: {
    read: async () => (await readState()).servedPages,
    write: (servedPages) => changeState({ servedPages }),
  },
  fetch: () => createProduct({ origin: productOrigin(productMatches()) ?? '' }).pages(),
  now: Date.now,
})

async function refreshPages(isForced: boolean): Promise<void> {
  await signedPages.refresh({ isForced, isPartMissing: changedPart(await readState()) !== null })
}

async function pairAndReadStatus(origin: string, code: string): Promise<ExtensionStatusReply> {
  try {
    await pairWith(origin, code)
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    const detail = error.status === 0 ? 'X-Automated cannot be reached. Try again in a moment.' : error.message
    return failure({ code: 'PAIRING_FAILED', detail })
  }
  return readStatus()
}

async function readStatus(): Promise<ExtensionStatusReply> {
  const [state, activity] = await Promise.all([readState(), readActivity()])
  const { paused, pairing, sendsInBackground, account } = state
  return {
    success: true,
    status: {
      version: browser.runtime.getManifest().version,
      paused,
      pageChanged: changedPart(state),
      signedInAs: account?.handle,
      pairedWith: pairing && { email: pairing.email, workspaceName: pairing.workspaceName },
      sendsInBackground,
      sendsAlone: sendsInBackground,
      activity,
    },
  }
}

function productMatches(): readonly string[] {
  return browser.runtime.getManifest().externally_connectable?.matches ?? []
}
