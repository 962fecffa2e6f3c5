import type { Scrape, ScrapeStatus } from '@x-automated/contract/scrapes'
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
const gone = new Error('SCRAPE_NOT_FOUND')

/** A feed that gives these streams and answers one after the other. */
function feedOf(streams: (ReadableStream<Uint8Array> | Error)[], answers: (Scrape | Error)[] = []) {
  const take = <T>(list: (T | Error)[]) => {
    const next = list.shift()
    if (next === undefined) throw new Error('asked once too often')
    if (next instanceof Error) throw next
    return next
  }
  return {
    open: vi.fn<ScrapeFeed['open']>(async () => take(streams)),
    find: vi.fn<ScrapeFeed['find']>(async () => take(answers)),
    isOver: (error: unknown) => error === gone || (error as Error).message === 'asked once too often',
    wait: vi.fn<ScrapeFeed['wait']>(async () => {}),
  }
}

async function follow(feed: ScrapeFeed) {
  const heard: string[] = []
  await followScrape(feed, ({ status, fetched }) => heard.push(`${status} ${fetched}`), new AbortController().signal)
  return heard
}

describe('reading events', () => {
  test('however the bytes are cut, the same events come out', async () => {
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

  test('a stream that falls silent is given up', async () => {
    const silent = new ReadableStream<Uint8Array>({ start() {} })
    await expect(readEvents(silent, () => {}, 20)).rejects.toThrow('nothing was heard')
  })
})

describe('following a scrape', () => {
  test('it is told of every event until it is done', async () => {
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

  test('a stream that ends with its token is opened again behind the last event', async () => {
    const feed = feedOf(
      [streamOf(eventOf('progress', scrape('running', 100))), streamOf(eventOf('done', scrape('completed', 400)))],
      [scrape('running', 150)],
    )
    expect(await follow(feed)).toEqual(['running 100', 'running 150', 'completed 400'])
    expect(feed.open.mock.calls.map(([lastEventId]) => lastEventId)).toEqual([null, '100'])
  })

  test('while the stream is broken it asks, and tries the stream again', async () => {
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

  test('an answer may be the one that tells of the end', async () => {
    const feed = feedOf([broken], [broken, scrape('failed', 120)])
    expect(await follow(feed)).toEqual(['failed 120'])
    expect(feed.open).toHaveBeenCalledTimes(1)
  })

  test('what is not there is not asked for again', async () => {
    const feed = feedOf([gone])
    expect(await follow(feed)).toEqual([])
    expect(feed.find).not.toHaveBeenCalled()
  })

  test('nothing is told after it was told to stop', async () => {
    const stop = new AbortController()
    const heard: number[] = []
    const feed = feedOf([
      streamOf(eventOf('progress', scrape('running', 100)), eventOf('progress', scrape('running', 200)), broken),
    ])
    await followScrape(
      feed,
      ({ fetched }) => {
        heard.push(fetched)
        stop.abort()
      },
      stop.signal,
    )
    expect(heard).toEqual([100])
    expect(feed.find).not.toHaveBeenCalled()
  })
})
