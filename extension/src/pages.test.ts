import type { PageQuestion } from '@x-automated/contract/extension'
import { expect, test, vi } from 'vitest'
import { createPages, type PagePort } from './pages.ts'

/** A page's end of its port. */
function openPort(documentId: string) {
  const hearing = new Set<(said: unknown) => void>()
  const leaving = new Set<() => void>()
  const asked: PageQuestion[] = []
  const events = <Listener>(listeners: Set<Listener>) => ({
    addListener: (one: Listener) => void listeners.add(one),
    removeListener: (one: Listener) => void listeners.delete(one),
  })
  const port: PagePort = {
    sender: { documentId },
    postMessage: (question) => asked.push(question),
    onMessage: events(hearing),
    onDisconnect: events(leaving),
  }
  return {
    port,
    asked,
    say(said: unknown) {
      for (const hear of [...hearing]) hear(said)
    },
    leave() {
      for (const gone of [...leaving]) gone()
    },
  }
}

const held = { dmId: 'dm', lease: 'lease' }

test('asks the page that claimed a message, and accepts its answer for that message only', async () => {
  const [one, other] = [openPort('one'), openPort('other')]
  const pages = createPages()
  pages.add(one.port)
  pages.add(other.port)
  const answer = pages.ask('one', held)
  expect([one.asked, other.asked]).toEqual([[{ ask: 'MAY_SEND', ...held }], []])
  other.say({ ...held, maySend: true })
  one.say({ dmId: 'dm', lease: 'another', maySend: true })
  one.say(null)
  one.say({ ...held, maySend: false })
  expect(await answer).toBe(false)
})

test('refuses if the page is gone, does not know or does not answer', async () => {
  vi.useFakeTimers()
  const page = openPort('one')
  const pages = createPages()
  expect(await pages.ask('one', held)).toBeNull()
  pages.add(page.port)
  expect(await pages.ask(undefined, held)).toBeNull()
  const unsure = pages.ask('one', held)
  page.say({ ...held, maySend: 'yes' })
  expect(await unsure).toBeNull()
  const silent = pages.ask('one', held)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await silent).toBeNull()
  const left = pages.ask('one', held)
  page.leave()
  expect(await left).toBeNull()
  expect(await pages.ask('one', held)).toBeNull()
  vi.useRealTimers()
})
