import { SEND_WITHIN_MS, type SendDmReply } from '@x-automated/contract/extension'
import { browser } from 'wxt/browser'
import type { createMessenger } from './messenger.ts'
import { forgetPairing, report } from './pairing.ts'
import { createProduct } from './product.ts'
import { type Asking, createRun, type InHand, type RunNeeds } from './run.ts'
import { changedPart, readActivity, readState, setActivity } from './state.ts'

const ALARM = 'run'
const NEXT_ALARM = 'next'
/** The shortest that Chrome lets an alarm be. */
const LOOK_EVERY_MINUTES = 0.5
/** Shorter than the time after which Chrome ends a worker that does nothing. */
const LONGEST_WAIT_MS = 20_000
/** What has to be seen to first is looked at again after this time, or at once when somebody has seen to it. */
const STOPPED_MS = 10 * 60_000
const REPORT_EVERY_MS = 20_000

/** Sends what waits at the product, by itself: where its owner allows it, and no page drives a run. */
export function createBackgroundSender(messenger: ReturnType<typeof createMessenger>) {
  /** Pages that drive a run. */
  let drivers = 0
  let working = false
  let asked = false
  let reportedAt = 0
  /** Since it was last idle. */
  let hasWorked = false

  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name === ALARM || name === NEXT_ALARM) wake()
  })
  browser.alarms.create(ALARM, { periodInMinutes: LOOK_EVERY_MINUTES })

  /** Asked while it works, it looks once more afterwards. */
  function wake(): void {
    asked = true
    if (working) return
    working = true
    work()
      .catch(console.error)
      .finally(() => {
        working = false
        if (asked) wake()
      })
  }

  async function work(): Promise<void> {
    for (;;) {
      asked = false
      if (Date.now() - reportedAt > REPORT_EVERY_MS) {
        reportedAt = Date.now()
        await report()
      }
      const ms = await stepIfAllowed()
      if (ms === null) return
      if (ms > LONGEST_WAIT_MS) {
        // The regular alarm stays; this one comes at the very moment.
        await browser.alarms.create(NEXT_ALARM, { when: Date.now() + ms })
        return
      }
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  /** @returns milliseconds until the next step; null: none until something changes */
  async function stepIfAllowed(): Promise<number | null> {
    const state = await readState()
    const { pairing, paused, sendsInBackground } = state
    if (!pairing || !sendsInBackground || paused || changedPart(state) !== null || drivers > 0) return null
    const activity = await readActivity()
    if (activity.doing === 'stopped' && activity.until > Date.now()) return null
    const step = await createRun(needsOf(pairing, state.account?.handle ?? undefined)).step()
    switch (step.next) {
      case 'again':
        hasWorked = true
        return 0
      case 'idle':
        await browser.storage.session.remove('aloneRun')
        await setActivity({ doing: 'nothing' })
        // What the popup shows of the queue is from before.
        if (hasWorked) await report()
        hasWorked = false
        return null
      case 'unpaired':
        await forgetPairing()
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
      holder: 'extension alone',
      signedInAs,
      journal: messenger.journal,
      send: async ({ lease, dmId, twitterHandle, message, sendsAs }, claimedAt): Promise<SendDmReply> =>
        messenger.sendOnce(
          {
            id: lease,
            dmId,
            handle: twitterHandle,
            message,
            runId: await readRun(),
            notAfter: claimedAt + SEND_WITHIN_MS,
            ...(sendsAs !== null && { sendsAs }),
          },
          // What our key opens no more is not ours to send: it is gone, or goes back.
          async (_held, refused) => (refused === 404 ? false : null),
        ),
      inHand: {
        read: async () => ((await browser.storage.session.get('inHand')).inHand as InHand | undefined) ?? null,
        write: (inHand) =>
          inHand ? browser.storage.session.set({ inHand }) : browser.storage.session.remove('inHand'),
      },
      asking: {
        read: async () => ((await browser.storage.session.get('asking')).asking ?? null) as Asking | null,
        write: (asking) => browser.storage.session.set({ asking }),
      },
      refusals: {
        read: async () => Number((await browser.storage.session.get('refusals')).refusals ?? 0),
        write: (refusals) => browser.storage.session.set({ refusals }),
      },
      now: Date.now,
    }
  }

  return {
    wake,
    /** Somebody has seen to what stopped it, or changed what it may do: the product hears of it at once. */
    async lookAgain() {
      reportedAt = 0
      if ((await readActivity()).doing === 'stopped') await setActivity({ doing: 'nothing' })
      wake()
    },
    /** A page drives a run, until it lets go or is closed. */
    driveFrom(port: { onDisconnect: { addListener(gone: () => void): void } }) {
      drivers += 1
      port.onDisconnect.addListener(() => {
        drivers -= 1
        wake()
      })
    },
  }
}

/** What it sends by itself between two moments at which nothing was queued is one run, over the lives of its worker. */
async function readRun(): Promise<string> {
  const { aloneRun } = await browser.storage.session.get('aloneRun')
  if (typeof aloneRun === 'string') return aloneRun
  const runId = crypto.randomUUID()
  await browser.storage.session.set({ aloneRun: runId })
  return runId
}
