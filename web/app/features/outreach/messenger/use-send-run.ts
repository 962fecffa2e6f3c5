import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, client, errorCode, errorText } from '../../../api'
import { sessionStorage } from '../../../browser-storage'
import { session } from '../../../session'
import { toast } from '../../../ui/toast'
import { useConfirmLeave } from '../../../ui/use-confirm-leave'
import { useRefresh } from '../../../use-refresh'
import {
  discardRun,
  loadLastMessage,
  loadResults,
  loadRun,
  type Recipient,
  type RowResult,
  type SavedRun,
  saveLastMessage,
  saveResults,
  saveRun,
} from './saved-run'
import {
  handledOf,
  NONE_SENT,
  notMessagedText,
  type RunProgress,
  type SendResult,
  sendOneByOne,
  summaryText,
} from './send-run'

const PAUSE_MS = 1000

/** Errors that every later message would get, too. */
const HALTING = new Set(['PLAN_LIMIT', 'X_NOT_CONNECTED', 'RATE_LIMITED', 'FORBIDDEN', 'UNAUTHORIZED'])

interface Run {
  message: string
  leads: readonly Recipient[]
  allowRepeat: boolean
  /** Set when a run is resumed. */
  runId?: string
}

/** Sends to leads one by one, with idempotency keys. An interrupted run can be resumed in the same tab. */
export function useSendRun(onDone: () => void) {
  const refresh = useRefresh()
  const [progress, setProgress] = useState<RunProgress | null>(null)
  const [stopping, setStopping] = useState(false)
  /** Why the last run did not message some leads. */
  const [notMessaged, setNotMessaged] = useState<string | null>(null)
  const stop = useRef<AbortController | null>(null)
  /** True if the user pressed Stop, false if they left the page. */
  const stoppedByUser = useRef(false)
  const running = progress !== null
  const { keepRest, keepMessage, keepResults, ...storedRun } = useStoredRun(running)

  useEffect(() => () => stop.current?.abort(), [])
  useConfirmLeave(running, LEAVING, () => stop.current?.abort())

  const start = async ({ message, leads, allowRepeat, runId = crypto.randomUUID() }: Run) => {
    if (stop.current) return
    const stopper = new AbortController()
    const keepFrom = (index: number, id = runId) =>
      keepRest({ runId: id, message, allowRepeat, leads: leads.slice(index) })
    stop.current = stopper
    stoppedByUser.current = false
    keepFrom(0)
    keepMessage(message)
    let done: RowResult[] = []
    keepResults(done)
    setNotMessaged(null)
    setStopping(false)
    setProgress({ ...NONE_SENT, total: leads.length })
    try {
      const summary = await sendOneByOne(
        leads,
        (lead) => sendTo(lead, message, allowRepeat, `${runId}:${lead.id}`),
        () => pause(stopper.signal),
        () => stopper.signal.aborted,
        (now, result) => {
          const count = handledOf(now)
          const lead = leads[count - 1]
          if (lead) {
            const { id, name, twitterHandle } = lead
            done = [...done, { lead: { id, name, twitterHandle }, result }]
          }
          keepResults(done)
          keepFrom(count)
          setProgress(now)
        },
      )
      const count = handledOf(summary)
      if (stoppedByUser.current) storedRun.discard()
      // The message that halted the run needs a new key, because its old key would return the same
      // refusal.
      else if (summary.halted !== null) keepFrom(count - 1, crypto.randomUUID())
      const text = summaryText(summary)
      if (summary.sent > 0) toast.success(text)
      else if (summary.failed > 0) toast.error(text)
      else if (summary.skipped > 0) toast.info(text)
      setNotMessaged(notMessagedText(summary) ?? (summary.sent === 0 ? summary.lastFailure : null))
    } catch (error) {
      toast.error(`Failed to send messages: ${errorText(error)}`)
    } finally {
      stop.current = null
      setProgress(null)
      onDone()
      void refresh(api.messages, api.leads, api.analytics, api.billing.overview)
    }
  }
  return {
    ...storedRun,
    progress,
    stopping,
    notMessaged,
    start,
    resume: () => storedRun.interrupted && void start(storedRun.interrupted),
    stop: () => {
      stoppedByUser.current = true
      setStopping(true)
      stop.current?.abort()
    },
  }
}

/** The run data that this tab stores for the user and workspace. It survives a reload. */
function useStoredRun(isRunning: boolean) {
  const me = useQuery(api.auth.me.queryOptions()).data
  const owner = me ? `${me.id} ${me.workspace.id}` : null
  const [interrupted, setInterrupted] = useState<SavedRun | null>(null)
  useEffect(
    () => setInterrupted(owner === null || isRunning ? null : loadRun(sessionStorage, owner)),
    [owner, isRunning],
  )
  const [lastMessage, setLastMessage] = useState<string | null>(null)
  const [results, setResults] = useState<readonly RowResult[]>([])
  useEffect(() => {
    setLastMessage(owner === null ? null : loadLastMessage(sessionStorage, owner))
    setResults(owner === null ? [] : loadResults(sessionStorage, owner))
  }, [owner])
  return {
    /** The run that was interrupted, if any. */
    interrupted,
    /** The template of the last run. */
    lastMessage,
    /** The result of the current or last run for each lead. */
    results,
    keepRest: (run: SavedRun) => owner !== null && saveRun(sessionStorage, owner, signedInAs(), run),
    keepMessage(message: string) {
      if (owner !== null) saveLastMessage(sessionStorage, owner, message)
      setLastMessage(message)
    },
    keepResults(next: readonly RowResult[]) {
      setResults(next)
      if (owner !== null) saveResults(sessionStorage, owner, next)
    },
    discard() {
      discardRun(sessionStorage)
      setInterrupted(null)
    },
  }
}

function signedInAs(): string | null {
  const state = session.state()
  return state.status === 'signed-in' ? state.user.id : null
}

async function sendTo(
  lead: Recipient,
  message: string,
  allowRepeat: boolean,
  idempotencyKey: string,
): Promise<SendResult> {
  try {
    await client.messages.send(
      {
        leadId: lead.id,
        message,
        templateVariables: { name: lead.name, handle: lead.twitterHandle },
        allowRepeat: allowRepeat || undefined,
      },
      { context: { idempotencyKey } },
    )
    return { kind: 'sent' }
  } catch (error) {
    const code = errorCode(error)
    const text = errorText(error)
    // There is no response or no outcome yet. Repeating the call with its key finds the same
    // message.
    if (code === null || code === 'DM_UNSETTLED' || code === 'IDEMPOTENCY_UNDER_WAY') return { kind: 'again', text }
    if (code === 'LEAD_STATE') return { kind: 'skipped', text }
    return { kind: HALTING.has(code) ? 'halt' : 'failed', text }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const LEAVING = {
  title: 'Stop sending and leave?',
  body: "Sent messages aren't affected. You can resume with the other leads in this tab.",
  confirm: 'Stop and leave',
  cancel: 'Keep sending',
  danger: true,
}
