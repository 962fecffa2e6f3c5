import type { Draft, DraftsDone, DraftsInput } from '@x-automated/contract/outreach/writer'
import { useEffect, useRef, useState } from 'react'
import { readEventStream } from '../../../event-stream'
import { errorOf, signedFetch } from '../../../signed-fetch'

interface Drafting {
  status: 'idle' | 'writing' | 'done' | 'failed'
  drafts: readonly Draft[]
  /** What the writer reported at the end. */
  done: DraftsDone | null
  error: unknown
}

const IDLE: Drafting = { status: 'idle', drafts: [], done: null, error: null }

/** Requests drafts, which arrive one at a time. */
export function useDrafts({ onError }: { onError?: (error: unknown) => void } = {}) {
  const [drafting, setDrafting] = useState(IDLE)
  const call = useRef<AbortController | null>(null)
  useEffect(() => () => call.current?.abort(), [])
  return {
    ...drafting,
    /** Requests drafts, and cancels an earlier call. @returns null if the call failed or was canceled */
    async write(input: DraftsInput): Promise<DraftsDone | null> {
      call.current?.abort()
      const own = new AbortController()
      call.current = own
      const show = (change: Partial<Drafting>) => {
        if (!own.signal.aborted) setDrafting((now) => ({ ...now, ...change }))
      }
      show({ ...IDLE, status: 'writing' })
      try {
        const done = await readDrafts(input, own.signal, (drafts) => show({ drafts }))
        show({ status: 'done', drafts: done.drafts, done })
        return own.signal.aborted ? null : done
      } catch (error) {
        show({ status: 'failed', error })
        if (!own.signal.aborted) onError?.(error)
        return null
      }
    },
    /** Cancels the call, but keeps the drafts that have arrived. */
    cancel() {
      call.current?.abort()
      setDrafting(({ drafts }) => ({ ...IDLE, drafts }))
    },
    reset() {
      call.current?.abort()
      setDrafting(IDLE)
    },
  }
}

/** @throws ORPCError if the writer reports an error, even after its stream has started */
export async function readDrafts(
  input: DraftsInput,
  signal: AbortSignal | null = null,
  onDrafts: (drafts: Draft[]) => void = () => {},
): Promise<DraftsDone> {
  const response = await signedFetch('/api/writer/drafts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(input),
    signal,
  })
  const drafts: Draft[] = []
  if (response.body)
    for await (const { type, data } of readEventStream(response.body)) {
      if (type === 'done') return JSON.parse(data) as DraftsDone
      if (type === 'error') throw errorOf(503, data)
      if (type === 'draft') {
        drafts.push(JSON.parse(data) as Draft)
        onDrafts([...drafts])
      }
    }
  throw new TypeError('The stream ended early')
}
