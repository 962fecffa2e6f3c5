import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { api, client, errorCode, errorText } from '../../api'
import { sessionStorage } from '../../browser-storage'
import { session } from '../../session'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'
import { useConfirmBeforeUnload } from '../../ui/use-confirm-before-unload'
import { runProblem } from './messenger-text'
import { discardRun, loadRun, type Recipient, type SavedRun, saveRun } from './saved-run'
import { notMessagedText, type RunProgress, type SendResult, sendOneByOne, summaryText } from './send-run'

/** Between two messages (specification §9). */
const PAUSE_MS = 1000

/** What would meet everybody after this one too. */
const HALTING = new Set(['PLAN_LIMIT', 'X_NOT_CONNECTED', 'RATE_LIMITED', 'FORBIDDEN', 'UNAUTHORIZED'])

export interface Run {
  message: string
  leads: readonly Recipient[]
  allowRepeat: boolean
  /** Of a run that goes on. */
  runId?: string
}

/**
 * Sends to the chosen leads, one by one. Each message has a key of its own in the run, so that asking again never sends it twice. What is left of a run
 * that was cut off is kept in this tab, to go on with.
 */
export function useSendRun(onDone: () => void) {
  const queries = useQueryClient()
  const [progress, setProgress] = useState<RunProgress | null>(null)
  const [stopping, setStopping] = useState(false)
  /** Why leads were left out of the last run. */
  const [leftOver, setLeftOver] = useState<string | null>(null)
  const stop = useRef<AbortController | null>(null)
  /** Was it stopped by its button, rather than by leaving? */
  const byHand = useRef(false)
  const running = progress !== null
  const me = useQuery(api.auth.me.queryOptions()).data
  const owner = me ? `${me.id} ${me.workspace.id}` : null
  /** Changed where what is kept may have. */
  const [kept, setKept] = useState<SavedRun | null>(null)
  useEffect(() => setKept(owner === null || running ? null : loadRun(sessionStorage, owner)), [owner, running])

  useEffect(() => () => stop.current?.abort(), [])
  useKeepOnPage(running, () => stop.current?.abort())

  const start = async ({ message, leads, allowRepeat, runId = crypto.randomUUID() }: Run) => {
    if (stop.current) return
    const stopper = new AbortController()
    const keep = (from: number, id = runId) =>
      owner !== null &&
      saveRun(sessionStorage, owner, signedInAs(), { runId: id, message, allowRepeat, leads: leads.slice(from) })
    stop.current = stopper
    byHand.current = false
    keep(0)
    setLeftOver(null)
    setStopping(false)
    setProgress({ sent: 0, failed: 0, total: leads.length })
    try {
      const summary = await sendOneByOne(
        leads,
        (lead) => sendTo(lead, message, allowRepeat, `${runId}:${lead.id}`),
        () => pause(stopper.signal),
        () => stopper.signal.aborted,
        (now) => {
          keep(now.sent + now.failed)
          setProgress(now)
        },
      )
      const done = summary.sent + summary.failed
      if (byHand.current) discardRun(sessionStorage)
      // Who met the halt is asked for anew, under another key: the refusal is the answer to the old one.
      else if (summary.halted !== null) keep(done - 1, crypto.randomUUID())
      const words = summaryText(summary)
      if (summary.sent > 0) toast.success(words)
      else if (summary.failed > 0) toast.error(words)
      setLeftOver(notMessagedText(summary) ?? (summary.sent === 0 ? summary.lastFailure : null))
    } catch (error) {
      toast.error(runProblem(error))
    } finally {
      stop.current = null
      setProgress(null)
      onDone()
      for (const queryKey of [api.messages.key(), api.leads.key(), api.analytics.key(), api.billing.overview.key()])
        void queries.invalidateQueries({ queryKey })
    }
  }
  return {
    progress,
    stopping,
    leftOver,
    start,
    /** What is left of a run that was cut off. */
    kept,
    goOn: () => kept && void start(kept),
    forget() {
      discardRun(sessionStorage)
      setKept(null)
    },
    stop: () => {
      byHand.current = true
      setStopping(true)
      stop.current?.abort()
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
        ...(allowRepeat ? { allowRepeat } : {}),
      },
      { context: { idempotencyKey } },
    )
    return { kind: 'sent' }
  } catch (error) {
    const code = errorCode(error)
    const words = errorText(error)
    // Nobody answered, or not with an outcome: what was begun is found again by its key.
    if (code === null || code === 'DM_UNSETTLED' || code === 'IDEMPOTENCY_UNDER_WAY') return { kind: 'again', words }
    return { kind: HALTING.has(code) ? 'halt' : 'failed', words }
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

/** Asks before the page is left in the middle of a run. What has gone out stays sent either way. */
function useKeepOnPage(running: boolean, onLeave: () => void): void {
  const confirm = useConfirm()
  const blocker = useBlocker(running)
  const asked = useRef(false)
  useEffect(() => {
    if (blocker.state !== 'blocked' || asked.current) return
    asked.current = true
    void confirm({
      title: 'Stop sending and leave?',
      body: 'Messages that have gone out stay sent. You can go on with the other leads when you come back in this tab.',
      confirm: 'Stop and leave',
      cancel: 'Keep sending',
      danger: true,
    }).then((leave) => {
      asked.current = false
      if (!leave) return blocker.reset()
      onLeave()
      blocker.proceed()
    })
  })
  useConfirmBeforeUnload(running)
}
