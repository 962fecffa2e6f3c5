import { QueryObserver } from '@tanstack/react-query'
import type { ChangeEvent } from '@x-automated/contract/platform/events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readEventStream } from './event-stream'
import { followEvents, type LiveDeps } from './live-events'
import { refetchOnEvents } from './live-queries'
import { createQueryClient } from './query-client'

const closing: (() => void)[] = []
beforeEach(() => vi.stubGlobal('document', { visibilityState: 'visible' }))
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.unstubAllGlobals()
})

const bodyOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

test('reads events that arrive in pieces', async () => {
  const events = []
  for await (const event of readEventStream(bodyOf('retry: 2000\n\nid: 7\nda', 'ta: {"a":1}\n\n:\nid: 8\n\n')))
    events.push(event)
  expect(events.slice(1)).toEqual([
    { id: '7', type: 'message', data: '{"a":1}' },
    { id: '8', type: 'message', data: '' },
  ])
})

/** Opens `count` tabs of one browser. The first gets the lock, and `open` returns the `streams` in turn. */
function openTabs(count: number, streams: string[]) {
  const opened: (string | null)[] = []
  let holder: Promise<unknown> = Promise.resolve()
  const tabs = Array.from({ length: count }, () => {
    const changes: ChangeEvent[] = []
    const onReset = vi.fn()
    const channel = new BroadcastChannel('live-events-test')
    const deps: LiveDeps = {
      channel,
      async open(lastId, signal) {
        opened.push(lastId)
        const next = streams.shift()
        if (next !== undefined) return new Response(bodyOf(next))
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
      },
      alone: (signal, work) => {
        holder = holder.then(() => (signal.aborted ? undefined : work()))
        return holder
      },
    }
    const onRead = vi.fn()
    const stop = followEvents({ onChange: (event) => changes.push(event), onReset, onRead }, deps)
    closing.push(() => {
      stop()
      channel.close()
    })
    return { changes, onReset, onRead, stop }
  })
  return { tabs, opened }
}

test('one tab reads the stream for all, and another one continues it where it was', async () => {
  const change = { kind: 'campaign', ids: ['c1'] }
  const { tabs, opened } = openTabs(3, [`id: 4\n\nid: 5\ndata: ${JSON.stringify(change)}\n\n`])
  await vi.waitFor(() => expect(tabs.map(({ changes }) => changes)).toEqual([[change], [change], [change]]), 10_000)
  expect(opened[0]).toBeNull()
  expect(tabs.map(({ onRead }) => onRead.mock.calls.length)).toEqual([1, 0, 0])
  tabs[0]!.stop()
  await vi.waitFor(() => expect(opened.at(-1)).toBe('5'), 10_000)
})

test('a reset reaches every tab', async () => {
  const { tabs } = openTabs(2, ['id: 9\nevent: reset\ndata: {}\n\n'])
  await vi.waitFor(() => expect(tabs.every(({ onReset }) => onReset.mock.calls.length === 1)).toBe(true), 10_000)
})

test('an event refetches the queries on screen that it concerns', async () => {
  const queries = createQueryClient()
  const live = refetchOnEvents(queries)
  closing.push(() => {
    live.stop()
    queries.clear()
  })
  const show = (operation: string[], id?: string) => {
    const ask = vi.fn(async () => operation)
    const queryKey = [operation, { input: id ? { id } : {}, type: 'query' }]
    closing.push(new QueryObserver(queries, { queryKey, queryFn: ask }).subscribe(() => {}))
    return ask
  }
  const [own, other, list, tags, suppressions, offers, conversation] = [
    show(['campaigns', 'find'], 'c1'),
    show(['campaigns', 'find'], 'c2'),
    show(['campaigns', 'list']),
    show(['tags', 'list']),
    show(['suppressions', 'list']),
    show(['conversationOffers', 'list']),
    show(['conversations', 'find'], 'v1'),
  ]
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0), 10_000)
  live.onChange({ kind: 'campaign', ids: ['c1'] })
  await vi.waitFor(() => expect([own, list].map((ask) => ask.mock.calls.length)).toEqual([2, 2]), 10_000)
  expect([other, tags].map((ask) => ask.mock.calls.length)).toEqual([1, 1])
  live.onChange({ kind: 'conversation', ids: ['v2'] })
  await vi.waitFor(() => expect(offers).toHaveBeenCalledTimes(2), 10_000)
  live.onChange({ kind: 'job', ids: ['j1'] })
  await vi.waitFor(() => expect([tags, conversation].map((ask) => ask.mock.calls.length)).toEqual([2, 2]), 10_000)
  live.onReset()
  await vi.waitFor(() => expect(other).toHaveBeenCalledTimes(2), 10_000)
  expect(suppressions).toHaveBeenCalledTimes(1)
})
