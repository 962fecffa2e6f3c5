import { SEND_WITHIN_MS } from '@x-automated/contract/outreach/extension'
import type { ClaimRequest, PendingClaim } from '@x-automated/contract/outreach/sending-run'
import { browser } from 'wxt/browser'
import type { createMessenger } from './messenger.ts'
import { removePairing, report } from './pairing.ts'
import { type Claim, createProduct } from './product.ts'
import { type RunNeeds, takeStep } from './run.ts'
import { changedPart, readActivity, readState, sessionValue, setActivity } from './state.ts'

const ALARM = 'run'
const NEXT_ALARM = 'next'
/** Chrome's shortest alarm period. */
const WAKE_EVERY_MINUTES = 0.5
/** Chrome stops workers that are idle for more than 30 seconds. */
const LONGEST_WAIT_MS = 20_000
/** Retry interval after a stop. Changing a setting retries immediately. */
const STOPPED_MS = 10 * 60_000
const REPORT_EVERY_MS = 20_000

/** Sends queued messages in the background, if the user allows it and no page is driving a run. */
export function createBackgroundSender(messenger: ReturnType<typeof createMessenger>) {
  /** Number of pages that are driving a run. */
  let drivingPages = 0
  let isWorking = false
  let isWakeRequested = false
  let reportedAt = 0
  /** Whether the sender has handled a message since its queue was last empty. */
  let hasWorked = false

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name === ALARM || name === NEXT_ALARM) wake()
  })
  browser.alarms.create(ALARM, { periodInMinutes: WAKE_EVERY_MINUTES })

  /** Takes steps until it must wait. If called during a step, another step follows. */
  function wake(): void {
    isWakeRequested = true
    if (isWorking) return
    isWorking = true
    work()
      .catch(console.error)
      .finally(() => {
        isWorking = false
        if (isWakeRequested) wake()
      })
  }

  async function work(): Promise<void> {
    for (;;) {
      isWakeRequested = false
      if (Date.now() - reportedAt > REPORT_EVERY_MS) {
        reportedAt = Date.now()
        await report()
      }
      const ms = await stepIfAllowed()
      if (ms === null) return
      if (ms > LONGEST_WAIT_MS) {
        // The regular alarm remains as a backup. The extra alarm fires at the exact time.
        await browser.alarms.create(NEXT_ALARM, { when: Date.now() + ms })
        return
      }
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  /** @returns milliseconds until the next step; null until something changes */
  async function stepIfAllowed(): Promise<number | null> {
    const state = await readState()
    const { pairing, paused, sendsInBackground } = state
    if (!pairing || !sendsInBackground || paused || changedPart(state) !== null || drivingPages > 0) return null
    const activity = await readActivity()
    if (activity.doing === 'stopped' && activity.until > Date.now()) return null
    const step = await takeStep(needsOf(pairing, state.account?.handle ?? undefined))
    switch (step.next) {
      case 'again':
        hasWorked = true
        return 0
      case 'idle':
        await backgroundRun.write(null)
        await setActivity({ doing: 'nothing' })
        if (hasWorked) await report()
        hasWorked = false
        return null
      case 'unpaired':
        await removePairing()
        return null
      case 'stopped':
        await setActivity({ doing: 'stopped', error: step.error, until: Date.now() + STOPPED_MS })
        return null
      case 'wait':
        await setActivity({ doing: 'waiting', until: Date.now() + step.ms })
        return step.ms
    }
  }

  function needsOf(pairing: Parameters<typeof createProduct>[0], signedInAs: string | undefined): RunNeeds {
    return {
      product: createProduct(pairing),
      signedInAs,
      journal: messenger.journal,
      send: async ({ lease, dmId, twitterHandle, message, sendsAs, xUserId }, requestedAt) =>
        messenger.sendOnce(
          {
            id: lease,
            dmId,
            handle: twitterHandle,
            message,
            runId: await readRun(),
            notAfter: requestedAt + SEND_WITHIN_MS,
            ...(sendsAs !== null && { sendsAs }),
            ...(xUserId && { xUserId }),
          },
          // If our token no longer gives access to the message, this extension must not send it.
          async (_claim, refused) => (refused === 404 ? false : null),
        ),
      pendingClaim: sessionValue<PendingClaim<Claim>>('pendingClaim'),
      claimRequest: sessionValue<ClaimRequest>('claimRequest'),
      refusals: sessionValue<number>('refusals'),
      now: Date.now,
    }
  }

  return {
    wake,
    /** Reports and retries immediately. Called after the user fixes a problem or changes a setting. */
    async retryNow() {
      reportedAt = 0
      if ((await readActivity()).doing === 'stopped') await setActivity({ doing: 'nothing' })
      wake()
    },
    /** Pauses background sending until the page closes its port. */
    yieldToPage(port: { onDisconnect: { addListener(listener: () => void): void } }) {
      drivingPages += 1
      port.onDisconnect.addListener(() => {
        drivingPages -= 1
        wake()
      })
    },
  }
}

/** Id of the background run, which lasts until the queue is empty. */
const backgroundRun = sessionValue<string>('backgroundRun')

async function readRun(): Promise<string> {
  const stored = await backgroundRun.read()
  if (stored !== null) return stored
  const runId = crypto.randomUUID()
  await backgroundRun.write(runId)
  return runId
}
