import { expect, test } from 'vitest'
import { closingLine, count, fullRunKinds, kindOf, repeatedLines, tallyLine } from './tally.ts'

type State = 'passed' | 'failed' | 'skipped' | 'pending'

/** Makes a module as Vitest reports it, with one test per state. */
function module(project: string, states: State[], { errors = 0, suiteErrors = 0 } = {}) {
  const list = (length: number) => Array.from({ length }, () => ({ message: 'no' }))
  return {
    project: { name: project },
    errors: () => list(errors),
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => (suiteErrors > 0 ? [{ errors: () => list(suiteErrors) }] : []),
    },
  } as unknown as Parameters<typeof count>[0] extends Iterable<infer Module> ? Module : never
}

test('counts by kind in a fixed order, web tests as unit tests', () => {
  const tallies = count(
    [
      module('journeys', ['passed']),
      module('unit', ['passed', 'failed']),
      module('web', ['passed', 'skipped']),
      module('http', ['passed', 'passed']),
      module('answers', ['passed']),
      module('proof', ['passed']),
    ],
    [],
  )
  expect([...tallies]).toEqual([
    ['unit', { passed: 2, failed: 1, skipped: 1 }],
    ['http', { passed: 3, failed: 0, skipped: 0 }],
    ['journeys', { passed: 1, failed: 0, skipped: 0 }],
    ['proof', { passed: 1, failed: 0, skipped: 0 }],
  ])
  expect(closingLine(tallies)).toBe('7 passed, 1 failed')
})

test('counts tests without a result as failed', () => {
  expect(count([module('http', [], { errors: 1 })], []).get('http')?.failed).toBe(1)
  expect(count([module('http', ['skipped'], { suiteErrors: 1 })], []).get('http')?.failed).toBe(1)
  expect(count([module('http', ['pending'])], []).get('http')?.failed).toBe(1)
  expect(closingLine(count([module('http', ['passed'])], [new Error('after the test')]))).toBe('1 passed, 1 failed')
})

test('omits a kind whose tests were all skipped', () => {
  expect(count([module('journeys', ['skipped'])], []).has('journeys')).toBe(false)
})

test('keeps other browsers and the container out of a full run', () => {
  expect(fullRunKinds).toEqual(['unit', 'http', 'journeys', 'proof'])
  expect(count([module('browsers', ['passed'])], []).get('browsers')?.passed).toBe(1)
})

test('treats an unknown project as unit tests', () => {
  expect(kindOf('web')).toBe('unit')
})

test('shows skipped tests only if there are any', () => {
  expect(tallyLine('unit', { passed: 1, failed: 0, skipped: 2 })).toBe('unit       1 passed, 0 failed, 2 skipped')
  expect(tallyLine('http', { passed: 1, failed: 0, skipped: 0 })).toBe('http       1 passed, 0 failed')
  expect(closingLine(new Map())).toBe('0 passed, 0 failed')
})

test('names a test that passed only when it was repeated, with its first error', () => {
  const ran = (fullName: string, flaky: boolean) => ({
    fullName,
    diagnostic: () => ({ flaky }),
    result: () => ({ state: 'passed', errors: flaky ? [{ message: 'too late' }] : undefined }),
  })
  const children = { allTests: () => [ran('sends', false), ran('leads > opens', true)] }
  const modules = [{ children }] as unknown as Parameters<typeof repeatedLines>[0]
  expect(repeatedLines(modules)).toEqual(['passed when repeated: leads > opens: too late'])
})
