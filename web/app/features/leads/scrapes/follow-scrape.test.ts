import type { Scrape, ScrapeStatus } from '@x-automated/contract/leads/scrapes'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { followScrape, POLLS_BETWEEN_STREAMS, readEvents, type ScrapeFeed } from './follow-scrape'

function scrape(status: ScrapeStatus, fetched: number): Scrape {
  return {
    id: 's1',
    twitterHandle: 'ada',
    type: 'followers',
    minFollowers: 100,
    maxFollowers: 10_000,
    keywords: ['saas 🚀'],
    maxResults: 1_000,
    status,
    fetched,
    matched: fetched / 10,
    estimate: { profiles: 400, secondsLeft: 3, costCents: null },
    spentCents: null,
    resumesAt: null,
    error: null,
    stoppedBy: null,
    isResumable: false,
    createdAt: '2026-11-20T10:00:00.000Z',
  }
}

const eventOf = (name: string, data: Scrape, id = String(data.fetched)) =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

function streamOf(...chunks: (string | Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks]
  return new ReadableStream({
    pull(controller) {
      const next = left.shift()
      if (next === undefined) controller.close()
      else if (next instanceof Error) controller.error(next)
      else controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next)
    },
  })
}

const broken = new TypeError('network error')
const notFound = new Error('SCRAPE_NOT_FOUND')

/** A feed that returns these streams and answers in order. */
function feedOf(streams: (ReadableStream<Uint8Array> | Error)[], answers: (Scrape | Error)[] = []) {
  const take = <T>(list: (T | Error)[]) => {
    const next = list.shift()
    if (next === undefined) throw new Error('unexpected call')
    if (next instanceof Error) throw next
    return next
  }
  return {
    open: vi.fn<ScrapeFeed['open']>(async () => take(streams)),
    find: vi.fn<ScrapeFeed['find']>(async () => take(answers)),
    isPermanent: (error: unknown) => error === notFound || (error as Error).message === 'unexpected call',
    wait: vi.fn<ScrapeFeed['wait']>(async () => {}),
  }
}

async function follow(feed: ScrapeFeed) {
  const reported: string[] = []
  await followScrape(feed, ({ status, fetched }) => reported.push(`${status} ${fetched}`), new AbortController().signal)
  return reported
}

describe('readEvents', () => {
  test('reads the same events however the bytes are split', async () => {
    const text = `: hello\n\n${eventOf('progress', scrape('running', 100))}${eventOf('done', scrape('completed', 400))}`
    const bytes = new TextEncoder().encode(text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }), async (cuts) => {
        const at = [0, ...new Set(cuts)].sort((a, b) => a - b)
        const events: { event?: string | undefined; id?: string | undefined; data: string }[] = []
        await readEvents(streamOf(...at.map((from, i) => bytes.slice(from, at[i + 1]))), (event) => events.push(event))
        expect(events.map(({ event, id }) => [event, id])).toEqual([
          ['progress', '100'],
          ['done', '400'],
        ])
        expect(JSON.parse(events[0]!.data)).toEqual(scrape('running', 100))
      }),
    )
  })

  test('gives up on a silent stream', async () => {
    const silent = new ReadableStream<Uint8Array>({ start() {} })
    await expect(readEvents(silent, () => {}, 20)).rejects.toThrow('no data')
  })
})

describe('followScrape', () => {
  test('reports every event until the scrape is done', async () => {
    const feed = feedOf([
      streamOf(
        eventOf('progress', scrape('running', 100)),
        ': still here\n\n',
        eventOf('progress', scrape('waiting', 200)),
        eventOf('done', scrape('completed', 400)),
      ),
    ])
    expect(await follow(feed)).toEqual(['running 100', 'waiting 200', 'completed 400'])
    expect(feed.find).not.toHaveBeenCalled()
  })

  test('reopens a stream that ended after its last event', async () => {
    const feed = feedOf(
      [streamOf(eventOf('progress', scrape('running', 100))), streamOf(eventOf('done', scrape('completed', 400)))],
      [scrape('running', 150)],
    )
    expect(await follow(feed)).toEqual(['running 100', 'running 150', 'completed 400'])
    expect(feed.open.mock.calls.map(([lastEventId]) => lastEventId)).toEqual([null, '100'])
  })

  test('polls while the stream is broken, then tries the stream again', async () => {
    const answers = Array.from({ length: POLLS_BETWEEN_STREAMS }, (_, index) => scrape('running', 110 + index))
    const feed = feedOf(
      [
        streamOf(eventOf('progress', scrape('running', 100)), broken),
        streamOf(eventOf('done', scrape('canceled', 300))),
      ],
      answers,
    )
    expect((await follow(feed)).slice(-2)).toEqual([`running ${109 + POLLS_BETWEEN_STREAMS}`, 'canceled 300'])
    expect(feed.wait).toHaveBeenCalledTimes(POLLS_BETWEEN_STREAMS)
  })

  test('stops when a poll reports the end', async () => {
    const feed = feedOf([broken], [broken, scrape('failed', 120)])
    expect(await follow(feed)).toEqual(['failed 120'])
    expect(feed.open).toHaveBeenCalledTimes(1)
  })

  test('stops after a permanent error', async () => {
    const feed = feedOf([notFound])
    expect(await follow(feed)).toEqual([])
    expect(feed.find).not.toHaveBeenCalled()
  })

  test('reports nothing after an abort', async () => {
    const stop = new AbortController()
    const reported: number[] = []
    const feed = feedOf([
      streamOf(eventOf('progress', scrape('running', 100)), eventOf('progress', scrape('running', 200)), broken),
    ])
    await followScrape(
      feed,
      ({ fetched }) => {
        reported.push(fetched)
        stop.abort()
      },
      stop.signal,
    )
    expect(reported).toEqual([100])
    expect(feed.find).not.toHaveBeenCalled()
  })
})
