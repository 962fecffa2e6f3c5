import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { sessionStorage } from '../../../browser-storage'
import { typedKey } from '../../../typed-text'
import { addToReply, focusInPlace, focusReply, pressSend } from './reply-focus'
import { sendKeys, sends } from './send-keys'
import type { Inbox } from './use-inbox'

/**
 * A key or an answer entered before the conversations had loaded: 1 or -1 opens a neighbor, a text is
 * an answer, and SEND sends it.
 */
type Step = 1 | -1 | string | typeof SEND
const SEND = 0

const MOVES: Readonly<Record<string, 1 | -1 | undefined>> = { j: 1, k: -1 }

/**
 * Keeps J, K and answers that are typed before the conversations have loaded. Then opens the
 * conversations that J and K lead to, and puts each answer into its box. After any other key, all
 * keys are ignored until Esc.
 */
export function useEarlyKeys({ rows, openId, open, list }: Pick<Inbox, 'rows' | 'openId' | 'open' | 'list'>) {
  const [steps, setSteps] = useStoredSteps(openId)
  const [isRefused, setRefused] = useState(false)
  /** An answer to someone who cannot be answered here. */
  const [undelivered, setUndelivered] = useState<string | null>(null)
  const area = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const last = steps.at(-1)
  const isAnswering = typeof last === 'string'
  const press = (key: string) => {
    // Sending opens the next person, who is not known yet, so no key may act on them.
    if (last === SEND) return focusInPlace(area.current)
    const move = MOVES[key]
    if (move) setSteps([...steps, move])
    else if (key === 'r' && (openId || steps.length > 0)) setSteps([...steps, ''])
    else {
      setRefused(true)
      // Drop the moves after the last answer. The moves before it lead to its conversation, so keep them.
      setSteps(steps.slice(0, steps.findLastIndex((step) => typeof step === 'string' && step !== '') + 1))
    }
    focusInPlace(area.current)
  }
  useLayoutEffect(() => {
    // The answer is typed into its own field, which has just been rendered.
    if (isAnswering && document.activeElement === area.current) focusInPlace(field.current)
  }, [isAnswering])
  useLayoutEffect(() => {
    const [step, ...rest] = steps
    if (!rows || step === undefined) return
    if (step === SEND) {
      if (area.current?.contains(document.activeElement)) focusReply()
      pressSend()
    } else if (typeof step === 'number') {
      const index = rows.findIndex(({ id }) => id === openId)
      const next = index < 0 ? rows[0] : rows[index + step]
      if (next) open(next.id)
    } else if (openId) {
      const isFocused = rest.length === 0 && area.current?.contains(document.activeElement)
      if (!deliver(step, isFocused === true)) setUndelivered(step || undelivered)
    } else return
    if (rest.length === 0 && !isRefused && area.current?.contains(document.activeElement))
      (document.activeElement as HTMLElement).blur()
    setSteps(rest)
  })
  const cancel = () => {
    if (last === SEND) return setSteps(steps.slice(0, -1))
    setRefused(false)
    setUndelivered(null)
    setSteps([])
  }
  return {
    area,
    field,
    steps,
    setSteps,
    press,
    isRefused,
    undelivered,
    cancel,
    isLoading: !rows,
    isFailed: list.isError,
  }
}

/** Adds an answer to the reply box on the screen. @returns false if there is none */
function deliver(answer: string, isFocused: boolean): boolean {
  const isBox = document.querySelector('textarea[data-reply]') !== null
  if (isFocused || !isBox) focusReply()
  return addToReply(answer)
}

/** The steps. If they contain an answer, they survive a reload of the page with the same conversation. */
function useStoredSteps(openId: string | null): [readonly Step[], (steps: readonly Step[]) => void] {
  const [steps, setSteps] = useState(() => storedSteps(openId))
  const store = (next: readonly Step[]) => {
    const key = typedKey('earlyAnswers')
    const isStored = next.some((step) => typeof step === 'string' && step !== '')
    if (key && isStored) sessionStorage.setItem(key, JSON.stringify({ openId, steps: next }))
    else if (key) sessionStorage.removeItem(key)
    setSteps(next)
  }
  return [steps, store]
}

function storedSteps(openId: string | null): readonly Step[] {
  const key = typedKey('earlyAnswers')
  if (key === null) return []
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as { openId: string; steps: Step[] } | null
    // After a reload, the user sends it again.
    return stored?.openId === openId ? stored.steps.filter((step) => step !== SEND) : []
  } catch {
    return []
  }
}

/** Shows the keys that wait for the conversations, and captures further keys, which must not act as shortcuts. */
export function EarlyKeys({ early }: { early: ReturnType<typeof useEarlyKeys> }) {
  const { area, field, steps, setSteps, press, isRefused, undelivered, isLoading, isFailed } = early
  const [isFocused, setFocused] = useState(false)
  const last = steps.at(-1)
  const state = isFailed ? 'could not be loaded' : isLoading ? 'are still loading' : 'have loaded'
  const cancel = (event: KeyboardEvent<HTMLElement>) => {
    early.cancel()
    if (last !== SEND) event.currentTarget.blur()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only a key focuses it, and it only says what happens to keys
    <div
      ref={area}
      data-takes-keys
      tabIndex={-1}
      className="px-3 text-xs text-muted outline-none"
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
        if (event.key === 'Escape') return cancel(event)
        if (event.key.length !== 1) return
        // A space would scroll the page.
        event.preventDefault()
        if (!isRefused) press(event.key.toLowerCase())
      }}
    >
      <p role="status">
        {isRefused
          ? isFocused && `Your conversations ${state}. Press Esc to use shortcuts again.`
          : steps.length > 0 && `Your conversations ${state}. J, K and answers wait for them. Press Esc to cancel.`}
      </p>
      {undelivered !== null && (
        <p role="status" className="wrap-anywhere">
          {`This conversation has no reply box, so your answer was not added: “${undelivered}”`}
        </p>
      )}
      {steps.length > 0 && <p className="wrap-anywhere">{steps.map(stepText).join(' · ')}</p>}
      {typeof last === 'string' && !isRefused && (
        <textarea
          ref={field}
          dir="auto"
          aria-label="Reply, added once the conversation has loaded"
          className="my-2 block min-h-18 w-full resize-none rounded-lg border border-control bg-surface px-3.5 pt-3 pb-1 text-sm text-ink pointer-coarse:text-base"
          value={last}
          onChange={(event) => setSteps([...steps.slice(0, -1), event.currentTarget.value])}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
            if (!sends(event) || last.trim() === '') return
            event.preventDefault()
            setSteps([...steps, SEND])
            focusInPlace(area.current)
          }}
        />
      )}
    </div>
  )
}

function stepText(step: Step): string {
  if (step === SEND) return sendKeys()
  return step === 1 ? 'J' : step === -1 ? 'K' : `R ${step}`
}
