import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VersionStep, VersionVariant } from '../tables/sequences.ts'
import {
  continuesWith,
  editVariants,
  firstChangedStep,
  isAffected,
  numberIn,
  type Progress,
  startsNewTest,
  type VariantEdit,
  variantName,
} from './versions.ts'

const variant = (id: string, more: Partial<VersionVariant> = {}): VersionVariant => ({
  id,
  name: id.toUpperCase(),
  messageTemplate: `Hello from ${id}`,
  weight: 1,
  isActive: true,
  ...more,
})
const step = (id: string, more: Partial<VersionStep> = {}): VersionStep => ({
  id,
  kind: 'step',
  delay: { amount: 2, unit: 'days' },
  condition: 'no_reply',
  allocation: 'weights',
  switchToWinner: false,
  testWindowDays: 7,
  variants: [variant(`${id}-a`)],
  ...more,
})
const version = (ids: string) => [...ids].map((id) => step(id))
const progress = (lastSent: Progress['lastSent'], more: Partial<Progress> = {}): Progress => ({
  lastSent,
  lastSkipped: null,
  sentStepIds: new Set(lastSent ? [lastSent.id] : []),
  ...more,
})

describe('firstChangedStep', () => {
  it.each([
    ['the same', version('abc'), version('abc'), null],
    ['a step added at the end', version('ab'), version('abc'), 3],
    ['a step added between others', version('ab'), version('axb'), 2],
    ['a step removed', version('abc'), version('ac'), 2],
    ['steps moved', version('abc'), version('acb'), 2],
    ['another delay', version('ab'), [step('a'), step('b', { delay: { amount: 3, unit: 'days' } })], 2],
    ['another text', version('ab'), [step('a', { variants: [variant('x')] }), step('b')], 1],
  ])('finds %s', (_, before, after, changed) => {
    expect(firstChangedStep(before, after)).toBe(changed)
  })
})

describe('isAffected', () => {
  const before = version('abc')
  it.each([
    ['unpassed', null, 2, true],
    ['unpassed', { id: 'a', number: 1 }, 2, true],
    ['unpassed', { id: 'b', number: 2 }, 2, false],
    ['unpassed', { id: 'c', number: 3 }, 4, true],
    ['unpassed', null, null, false],
    ['unstarted', null, 2, true],
    ['unstarted', { id: 'a', number: 1 }, 2, false],
  ] as const)('with %s, after %j, if step %s changes: %s', (applyTo, lastSent, changed, affected) => {
    expect(isAffected(before, changed, { lastSent }, applyTo)).toBe(affected)
  })

  it('finds the place of someone who kept an earlier version', () => {
    // They were sent x and a, and x has since been removed, so they are at step 1 of the current
    // version.
    expect(isAffected(before, 2, { lastSent: { id: 'a', number: 2 } }, 'unpassed')).toBe(true)
    // A step that no longer exists counts by its old number.
    expect(isAffected(before, 2, { lastSent: { id: 'x', number: 1 } }, 'unpassed')).toBe(true)
    expect(isAffected(before, 2, { lastSent: { id: 'x', number: 2 } }, 'unpassed')).toBe(false)
  })
})

describe('continuesWith', () => {
  it.each([
    ['the first step, if nothing was sent', 'abc', progress(null), 'a'],
    ['the step after the last one sent', 'abc', progress({ id: 'a', number: 1 }), 'b'],
    ['a step added after it', 'axbc', progress({ id: 'a', number: 1 }), 'x'],
    ['the step after it, wherever it moved', 'bca', progress({ id: 'b', number: 2 }), 'c'],
    ['the step after its old number, if it was removed', 'acd', progress({ id: 'b', number: 2 }), 'd'],
    ['nothing, if no step follows', 'ab', progress({ id: 'c', number: 3 }), null],
    [
      'no step that was skipped before',
      'abcd',
      progress({ id: 'a', number: 1 }, { lastSkipped: { id: 'b', number: 2 } }),
      'c',
    ],
    [
      'no step that was sent before a move',
      'bac',
      progress({ id: 'b', number: 2 }, { sentStepIds: new Set(['a', 'b']) }),
      'c',
    ],
  ])('continues with %s', (_, ids, at, next) => {
    expect(continuesWith(version(ids), at)?.id ?? null).toBe(next)
  })

  it('sends no step twice, never moves backwards, and always ends', () => {
    // The steps of a version: some of ten ids in any order. Ids never come back after their removal.
    const ids = [...'abcdefghij']
    const edit = fc.record({
      ids: fc.shuffledSubarray(ids, { minLength: 1 }),
      applyTo: fc.constantFrom('unpassed' as const, 'unstarted' as const),
    })
    const move = fc.oneof(
      { weight: 3, arbitrary: fc.constant('send' as const) },
      { weight: 1, arbitrary: fc.constant('skip' as const) },
      { weight: 2, arbitrary: edit },
    )
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let [current, own] = [version('abcde'), version('abcde')]
        const removed = new Set<string>()
        const sent: string[] = []
        let [lastSent, lastSkipped]: (Progress['lastSent'] | null)[] = [null, null]
        const now = (): Progress => ({
          lastSent: lastSent ?? null,
          lastSkipped: lastSkipped ?? null,
          sentStepIds: new Set(sent),
        })
        for (const move of moves) {
          if (move === 'send' || move === 'skip') {
            const next = continuesWith(own, now())
            if (!next) continue
            const reference = { id: next.id, number: own.indexOf(next) + 1 }
            expect(sent).not.toContain(next.id)
            expect(reference.number).toBeGreaterThan(numberIn(own, lastSent ?? null))
            expect(reference.number).toBeGreaterThan(numberIn(own, lastSkipped ?? null))
            if (move === 'skip' && reference.number > 1) lastSkipped = reference
            else {
              lastSent = reference
              sent.push(next.id)
            }
          } else {
            const after = version(move.ids.filter((id) => !removed.has(id)).join(''))
            for (const { id } of current) if (!after.some((step) => step.id === id)) removed.add(id)
            if (isAffected(current, firstChangedStep(current, after), now(), move.applyTo)) own = after
            current = after
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('startsNewTest', () => {
  const both = step('a', { variants: [variant('x'), variant('y')] })
  it.each([
    ['another window', { testWindowDays: 3 }, true],
    ['another weight', { variants: [variant('x', { weight: 2 }), variant('y')] }, true],
    ['a variant more', { variants: [variant('x'), variant('y'), variant('z')] }, true],
    ['a variant switched off', { variants: [variant('x'), variant('y', { isActive: false })] }, true],
    ['another allocation', { allocation: 'adaptive' }, true],
    ['another order', { variants: [variant('y'), variant('x')] }, false],
    ['another name', { variants: [variant('x', { name: 'Short' }), variant('y')] }, false],
    ['a retired variant more', { variants: [variant('x'), variant('y'), variant('z', { isActive: false })] }, false],
    ['another delay', { delay: { amount: 9, unit: 'days' } }, false],
  ] as const)('with %s: %s', (_, changed, restarts) => {
    expect(startsNewTest(both, { ...both, ...changed })).toBe(restarts)
  })
})

describe('editVariants', () => {
  const edit = (before: VersionVariant[], edits: VariantEdit[], frozen: string[], failed: string[] = []) => {
    let count = 0
    return editVariants(before, edits, {
      isUsed: (id) => frozen.includes(id) || failed.includes(id),
      isFrozen: (id) => frozen.includes(id),
      newId: () => `new-${++count}`,
    })
  }
  const a = variant('a')
  const b = variant('b')

  it('changes the text of a variant that was never sent', () => {
    expect(edit([a], [{ ...a, messageTemplate: 'Hi' }], [])).toEqual([{ ...a, messageTemplate: 'Hi' }])
  })

  it('retires a variant that was sent and gives its new text to a new variant', () => {
    expect(edit([a, b], [{ ...a, messageTemplate: 'Hi' }, b], ['a'])).toEqual([
      { ...a, id: 'new-1', name: 'C', messageTemplate: 'Hi' },
      b,
      { ...a, isActive: false },
    ])
  })

  it('keeps a variant that was sent if its text stays', () => {
    expect(edit([a], [{ ...a, weight: 3, name: 'Short' }], ['a'])).toEqual([{ ...a, weight: 3, name: 'Short' }])
  })

  it('retires a variant that was sent and is left out, and drops one that was not', () => {
    expect(edit([a, b], [a], ['b'])).toEqual([a, { ...b, isActive: false }])
    expect(edit([a, b], [a], [])).toEqual([a])
  })

  it('changes the text of a variant whose messages were all skipped, and retires it if it is left out', () => {
    const changed = { ...b, messageTemplate: 'Hi' }
    expect(edit([a, b], [a, changed], [], ['b'])).toEqual([a, changed])
    expect(edit([a, b], [a], [], ['b'])).toEqual([a, { ...b, isActive: false }])
  })

  it('names new variants with the first free letters', () => {
    const text = { messageTemplate: 'Hi', weight: 1, isActive: true }
    expect(edit([a], [a, text, text], []).map(({ name }) => name)).toEqual(['A', 'B', 'C'])
    expect([1, 26, 27, 53].map(variantName)).toEqual(['A', 'Z', 'AA', 'BA'])
  })

  it('gives a variant another name than a retired one', () => {
    const added = { name: 'B', messageTemplate: 'Hi', weight: 1, isActive: true }
    const names = (edits: VariantEdit[]) => edit([a, b], edits, ['b']).map(({ name }) => name)
    expect(names([a, added])).toEqual(['A', 'C', 'B'])
    expect(names([{ ...a, name: 'B' }])).toEqual(['C', 'B'])
  })
})
