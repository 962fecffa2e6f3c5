import { expect, test } from 'vitest'
import { changeInParts } from './change-in-parts'

/** Makes a change that takes three calls. @param failing the number of the call that fails */
async function run({ total = 25_000, stopsAfter = 99, failing = 0, calls = 3 }: Partial<Record<string, number>> = {}) {
  const sent: object[] = []
  const responses: number[] = []
  const seen: string[] = []
  const end = await changeInParts({
    parts: [{ filter: 'open' }],
    total: total < 0 ? null : total,
    async call(part) {
      sent.push(part)
      if (sent.length === failing) throw new Error('gone')
      return { number: sent.length, cursor: sent.length < calls ? `after ${sent.length}` : null }
    },
    onAnswer: ({ number }) => responses.push(number),
    mayContinue: () => sent.length < stopsAfter,
    onProgress: (position) => seen.push(position),
  }).catch((error: Error) => error.message)
  return { end, sent, answers: responses, seen }
}

test('follows the cursor to the end, and shows its progress', async () => {
  expect(await run()).toEqual({
    end: null,
    sent: [{ filter: 'open' }, { filter: 'open', cursor: 'after 1' }, { filter: 'open', cursor: 'after 2' }],
    answers: [1, 2, 3],
    seen: ['0 of 25,000', '10,000 of 25,000', '20,000 of 25,000'],
  })
})

test('stops before the next call, and says where', async () => {
  expect(await run({ stopsAfter: 2 })).toMatchObject({ end: '20,000 of 25,000', answers: [1, 2] })
})

test('shows a change of unknown length from its second call on', async () => {
  expect(await run({ total: -1 })).toMatchObject({ end: null, seen: ['10,000', '20,000'] })
})

test('reports each answer before a later call fails', async () => {
  expect(await run({ failing: 3 })).toMatchObject({ end: 'gone', answers: [1, 2] })
})

test('shows no progress of a single call', async () => {
  expect(await run({ total: 1, calls: 1 })).toMatchObject({ end: null, answers: [1], seen: [] })
})
