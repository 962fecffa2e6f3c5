import type { PageQuestion } from '@x-automated/contract/outreach/extension'
import { expect, test, vi } from 'vitest'
import { createPages, type PagePort } from './pages.ts'

/** Creates a fake port of a page. */
function openPort(documentId: string) {
  const messageListeners = new Set<(answer: unknown) => void>()
  const disconnectListeners = new Set<() => void>()
  const questions: PageQuestion[] = []
  const events = <Listener>(listeners: Set<Listener>) => ({
    addListener: (listener: Listener) => void listeners.add(listener),
    removeListener: (listener: Listener) => void listeners.delete(listener),
  })
  const port: PagePort = {
    sender: { documentId },
    postMessage: (question) => questions.push(question),
    onMessage: events(messageListeners),
    onDisconnect: events(disconnectListeners),
  }
  return {
    port,
    asked: questions,
    answer(answer: unknown) {
      for (const listener of [...messageListeners]) listener(answer)
    },
    leave() {
      for (const listener of [...disconnectListeners]) listener()
    },
  }
}

const claim = { dmId: 'dm', lease: 'lease' }

test('asks the page that claimed a message, and accepts its answer for that message only', async () => {
  const [claimant, other] = [openPort('claimant'), openPort('other')]
  const pages = createPages()
  pages.add(claimant.port)
  pages.add(other.port)
  const answer = pages.ask('claimant', claim)
  expect([claimant.asked, other.asked]).toEqual([[{ ask: 'MAY_SEND', ...claim }], []])
  other.answer({ ...claim, maySend: true })
  claimant.answer({ dmId: 'dm', lease: 'another', maySend: true })
  claimant.answer(null)
  claimant.answer({ ...claim, maySend: false })
  expect(await answer).toBe(false)
})

test('refuses if the page is gone, does not know or does not answer', async () => {
  vi.useFakeTimers()
  const page = openPort('one')
  const pages = createPages()
  expect(await pages.ask('one', claim)).toBeNull()
  pages.add(page.port)
  expect(await pages.ask(undefined, claim)).toBeNull()
  const unsure = pages.ask('one', claim)
  page.answer({ ...claim, maySend: 'yes' })
  expect(await unsure).toBeNull()
  const silent = pages.ask('one', claim)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await silent).toBeNull()
  const left = pages.ask('one', claim)
  page.leave()
  expect(await left).toBeNull()
  expect(await pages.ask('one', claim)).toBeNull()
  vi.useRealTimers()
})
