import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createJournal, type Entry } from './journal.ts'
import { type Page, send } from './send.ts'
import type { Answer, Command } from './wire.ts'

const leave = async () => null
const attempt = { id: 'one', handle: 'ada', message: 'Hi' }

function openJournal() {
  let entries: Record<string, Entry> | undefined
  return createJournal({
    read: async () => entries,
    write: async (next) => {
      entries = structuredClone(next)
    },
  })
}

/** Creates a page on which everything succeeds, unless `override` returns something for a command. */
function openPage(override: (command: Command) => unknown = () => undefined, over: Partial<Page> = {}) {
  const commands: string[] = []
  const usual = {
    check: { done: {} },
    meet: { done: { recipientId: '1' } },
    open: { done: { path: '/i/chat/1-2' } },
    write: { done: { total: 3, same: 0, sent: 0, failed: 0 } },
    press: { done: { appeared: true } },
    look: { done: { total: 4, same: 1, sent: 1, failed: 0, isComplete: true } },
  }
  const page: Page = {
    load: async (path) => {
      commands.push(path)
      return true
    },
    arrive: async () => false,
    show: async () => false,
    ask: async <C extends Command>(command: C) => {
      commands.push(command.do)
      const result = override(command)
      return (result === undefined ? usual[command.do] : result) as Answer<C['do']>
    },
    ...over,
  }
  return { page, commands }
}

test('passes the sending account to the page before it reads and before it presses', async () => {
  const commands: Command[] = []
  const { page } = openPage((command) => void commands.push(command))
  await send({ ...attempt, sendsAs: 'me' }, page, openJournal(), leave)
  expect(commands.filter((command) => 'sendsAs' in command).map((command) => command.do)).toEqual(['meet', 'press'])
})

test("passes the lead's id on X to every step", async () => {
  const commands: Command[] = []
  const { page } = openPage((command) => void commands.push(command))
  await send({ ...attempt, xUserId: '1' }, page, openJournal(), leave)
  expect(commands.map((command) => 'xUserId' in command && command.xUserId)).toEqual(['1', '1', '1', '1'])
})

const on = (name: Command['do'], result: unknown) => (command: Command) => (command.do === name ? result : undefined)

test('opens the profile, then the conversation, writes and presses; a second call sends nothing', async () => {
  const journal = openJournal()
  const { page, commands } = openPage()
  expect(await send(attempt, page, journal, leave)).toBe('sent')
  expect(commands).toEqual(['/ada', 'meet', 'open', 'write', 'press'])
  expect(await send(attempt, page, journal, leave)).toBe('sent')
  expect(await send({ ...attempt, message: 'Other' }, page, journal, leave)).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(commands).toHaveLength(5)
})

test('ends the attempt without pressing if the last check fails, so that it can be repeated', async () => {
  const journal = openJournal()
  const { page, commands } = openPage()
  expect(await send(attempt, page, journal, async () => ({ code: 'CALLED_BACK' }))).toEqual({ code: 'CALLED_BACK' })
  expect(commands).toEqual(['/ada', 'meet', 'open', 'write'])
  expect(await journal.find('one')).toBeUndefined()
})

test('ends the attempt if something fails before the press, so that it can be repeated', async () => {
  const journal = openJournal()
  for (const name of ['meet', 'open', 'write', 'press'] as const) {
    const { page } = openPage(on(name, { problem: { code: 'INBOX_CLOSED' } }))
    expect(await send(attempt, page, journal, leave)).toEqual({ code: 'INBOX_CLOSED' })
  }
  for (const name of ['meet', 'open', 'write'] as const) {
    expect(await send(attempt, openPage(on(name, null)).page, journal, leave)).toEqual({ code: 'X_UNAVAILABLE' })
  }
  const neverThere = openPage(undefined, { load: async () => false })
  expect(await send(attempt, neverThere.page, journal, leave)).toEqual({ code: 'X_UNAVAILABLE' })
  expect(await send(attempt, openPage().page, journal, leave)).toBe('sent')
})

test.each(['PAGE_CHANGED', 'X_UNAVAILABLE', 'CANNOT_TELL'])(
  'looks again in the foreground before it reports %s',
  async (code) => {
    let inFront = false
    const show = async () => {
      const wasBehind = !inFront
      inFront = true
      return wasBehind
    }
    const changed = { problem: { code } }
    const drawnInFront = openPage((command) => (command.do === 'meet' && !inFront ? changed : undefined), { show })
    expect(await send(attempt, drawnInFront.page, openJournal(), leave)).toBe('sent')
    inFront = false
    const stillMissing = openPage(on('meet', changed), { show })
    expect(await send(attempt, stillMissing.page, openJournal(), leave)).toEqual(changed.problem)
    expect(stillMissing.commands).toEqual(['/ada', 'meet', 'meet'])
  },
)

test('continues after a page load on the way to the conversation', async () => {
  let attempts = 0
  const { page, commands } = openPage((command) => (command.do === 'open' && attempts++ === 0 ? null : undefined), {
    arrive: async () => true,
  })
  expect(await send(attempt, page, openJournal(), leave)).toBe('sent')
  expect(commands).toEqual(['/ada', 'meet', 'open', 'open', 'write', 'press'])
})

test('settles an unclear press by reading the conversation, or leaves it unknown', async () => {
  const unclear = { done: { appeared: false } }
  const refused = { done: { appeared: false, refused: 'No' } }
  const counts = { total: 3, same: 0, sent: 0, failed: 0, isComplete: true }
  const present = { done: { ...counts, total: 4, same: 1, sent: 1 } }
  const absent = { done: counts }
  const pending = { done: { ...counts, total: 4, same: 1 } }
  const partly = { done: { ...counts, total: 1, isComplete: false } }
  const cases: [press: unknown, look: unknown, outcome: unknown][] = [
    [unclear, present, 'sent'],
    [refused, present, 'sent'],
    [null, present, 'sent'],
    [refused, absent, { code: 'X_REFUSED', detail: 'No' }],
    // The message is displayed, but X has not accepted it yet.
    [refused, pending, { code: 'OUTCOME_UNKNOWN' }],
    [refused, partly, { code: 'OUTCOME_UNKNOWN' }],
    [refused, null, { code: 'OUTCOME_UNKNOWN' }],
    // X may still be processing the message, so its absence proves nothing.
    [unclear, absent, { code: 'OUTCOME_UNKNOWN' }],
    [null, absent, { code: 'OUTCOME_UNKNOWN' }],
  ]
  for (const [press, look, outcome] of cases) {
    const { page, commands } = openPage((command) => ({ press, look })[command.do as 'press'])
    expect(await send(attempt, page, openJournal(), leave)).toEqual(outcome)
    expect(commands.slice(-2)).toEqual(['/i/chat/1-2', 'look'])
  }
})

test('delivers an attempt at most once, and reports success only if it was sent', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const press = fc.constantFrom('works', 'not pressed', 'answer lost', 'refused', 'lost before', 'script dies')
  const step = fc.record({ press, looks: fc.constantFrom('whole', 'partly', 'gone') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const journal = openJournal()
      let delivered = 0
      for (const { press, looks } of steps) {
        const { page } = openPage((command) => {
          if (command.do === 'write') return { done: { total: 0, same: delivered, sent: delivered, failed: 0 } }
          if (command.do === 'press') {
            if (press === 'not pressed') return { problem: { code: 'X_UNAVAILABLE' } }
            if (press === 'script dies') throw new Error('gone')
            if (press === 'works' || press === 'answer lost') delivered += 1
            if (press === 'refused') return { done: { appeared: false, refused: 'No' } }
            return press === 'works' ? { done: { appeared: true } } : null
          }
          if (command.do === 'look') {
            const counts = { total: 0, same: delivered, sent: delivered, failed: 0, isComplete: looks === 'whole' }
            return looks === 'gone' ? null : { done: counts }
          }
          return undefined
        })
        const outcome = await send(attempt, page, journal, leave)
        if (outcome === 'sent') expect(delivered).toBe(1)
        expect(delivered).toBeLessThanOrEqual(1)
      }
    }),
  )
})
