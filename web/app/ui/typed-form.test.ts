import { expect, it } from 'vitest'
import { createTypedForm, type RestoredText, type TypedValues } from './typed-form'

/** A form with these values, and what a browser has stored of it. */
function open(
  values: Record<string, string>,
  stored: { now: TypedValues | null } = { now: null },
  isGuest = false,
  options?: string[],
) {
  let shown: RestoredText = { isRestored: false, conflicts: [] }
  const screen = { ...values }
  const form = createTypedForm({
    fields: () =>
      Object.keys(screen).map((key) => ({
        key,
        label: key,
        isText: key !== 'choice',
        isDisabled: false,
        get: () => screen[key]!,
        accepts: (value) => options?.includes(value) ?? true,
        set: (value) => {
          screen[key] = value
          form.change([key])
        },
      })),
    read: () => stored.now,
    write: (next) => (stored.now = next),
    isGuest,
    show: (restored) => (shown = restored),
  })
  form.scan()
  const type = (key: string, value: string) => {
    form.enter(key)
    screen[key] = value
    form.change([key])
  }
  return { form, screen, stored, type, shown: () => shown }
}

it('restores what was typed, and says so', () => {
  const { type, stored, shown } = open({ name: 'Ada', note: '' })
  expect(shown().isRestored).toBe(false)
  type('note', 'Later')
  const again = open({ name: 'Ada', note: '' }, stored)
  expect(again.screen).toEqual({ name: 'Ada', note: 'Later' })
  expect(again.shown()).toEqual({ isRestored: true, conflicts: [] })
})

it('stores nothing once a field has its former value again', () => {
  const { type, stored } = open({ name: 'Ada' })
  type('name', 'Ad')
  type('name', 'Ada')
  expect(stored.now).toBeNull()
})

it('discards what was restored, in the form and in the storage', () => {
  const { type, stored } = open({ name: 'Ada' })
  type('name', 'Bob')
  const again = open({ name: 'Ada' }, stored)
  again.form.discard()
  expect([again.screen.name, again.stored.now, again.shown().isRestored]).toEqual(['Ada', null, false])
})

it('asks if the record has changed meanwhile, and takes either version', () => {
  const { type, stored } = open({ name: 'Ada' })
  type('name', 'Bob')
  const typed = stored.now
  const newer = open({ name: 'Cleo' }, { now: typed })
  expect(newer.screen.name).toBe('Cleo')
  expect(newer.shown().conflicts).toEqual([{ key: 'name', label: 'name', typed: 'Bob' }])
  newer.form.takeTyped()
  expect([newer.screen.name, newer.stored.now]).toEqual(['Bob', { name: { typed: 'Bob', base: 'Cleo' } }])

  const kept = open({ name: 'Cleo' }, { now: typed })
  kept.form.discardConflicts()
  expect([kept.screen.name, kept.stored.now, kept.shown().conflicts]).toEqual(['Cleo', null, []])
})

it('keeps the question until the user answers it', () => {
  const typed = { name: { typed: 'Bob', base: 'Ada' }, note: { typed: 'Later', base: '' } }
  const { form, type, stored, screen, shown } = open({ name: 'Cleo', note: '' }, { now: typed })
  type('name', 'Cleopatra')
  expect(stored.now).toEqual(typed)
  form.submit()(true)
  expect(stored.now).toEqual({ name: typed.name })
  form.discard()
  expect(shown().conflicts).toHaveLength(1)
  form.takeTyped()
  expect([screen.name, stored.now]).toEqual(['Bob', { name: { typed: 'Bob', base: 'Cleopatra' } }])

  const closed = open({ name: 'Cleo', note: '' }, { now: typed })
  closed.form.submit()(false)
  expect(closed.stored.now).toEqual({ name: typed.name })
})

it('discards only what the question is about, and stores what was typed since', () => {
  const typed = { name: { typed: 'Bob', base: 'Ada' }, note: { typed: 'Later', base: '' } }
  const { form, type, stored, screen } = open({ name: 'Cleo', note: '' }, { now: typed })
  type('name', 'Cleopatra')
  form.discardConflicts()
  expect(screen).toEqual({ name: 'Cleopatra', note: 'Later' })
  expect(stored.now).toEqual({ name: { typed: 'Cleopatra', base: 'Cleo' }, note: typed.note })
})

it('leaves what another tab has stored', () => {
  const tab = open({ name: 'Ada', note: '' })
  const other = open({ name: 'Ada', note: '' }, tab.stored)
  tab.type('name', 'Bob')
  other.type('note', 'Later')
  expect(Object.keys(tab.stored.now ?? {})).toEqual(['name', 'note'])
  tab.form.clear()
  expect(tab.stored.now).toEqual({ note: { typed: 'Later', base: '' } })
})

it('restores a value only once the control offers it', () => {
  const options = ['a']
  const stored = { now: { choice: { typed: 'b', base: 'a' } } as TypedValues | null }
  const again = open({ choice: 'a' }, stored, false, options)
  expect([again.screen.choice, again.shown().isRestored]).toEqual(['a', false])
  options.push('b')
  again.form.scan()
  expect([again.screen.choice, again.shown().isRestored]).toEqual(['b', true])
})

it('does not ask about choices, nor about a text that was saved elsewhere', () => {
  const { type, stored } = open({ choice: 'a', name: 'Ada' })
  type('choice', 'b')
  type('name', 'Bob')
  const again = open({ choice: 'c', name: 'Bob' }, stored)
  expect([again.screen, again.shown().conflicts, again.stored.now]).toEqual([{ choice: 'c', name: 'Bob' }, [], null])
})

it('stores a refetched value only if the user changes it', () => {
  const { type, screen, stored } = open({ name: 'Ada' })
  screen.name = 'Refetched'
  type('name', 'Refetched too')
  expect(stored.now).toEqual({ name: { typed: 'Refetched too', base: 'Refetched' } })
})

it('removes what the server has saved, and keeps what was typed in the meantime', () => {
  const { form, type, stored } = open({ name: 'Ada', note: '' })
  type('name', 'Bob')
  type('note', 'One')
  const saved = form.submit()
  expect(stored.now).not.toBeNull()
  type('note', 'One, two')
  saved(true)
  expect(stored.now).toEqual({ note: { typed: 'One, two', base: 'One' } })
})

it('removes everything if the form has closed after it was saved', () => {
  const { form, type, stored } = open({ name: '' })
  type('name', 'Bob')
  form.submit()(false)
  expect(stored.now).toBeNull()
})

it('still stores what was typed after a failed save', () => {
  const { form, type, stored } = open({ name: 'Ada' })
  type('name', 'Bob')
  form.submit()
  type('name', 'Bobby')
  type('name', 'Bob')
  expect(stored.now).toEqual({ name: { typed: 'Bob', base: 'Ada' } })
})

it('restores fields that appear later', () => {
  const { type, stored } = open({ kind: 'a', other: '' })
  type('other', 'Typed')
  const again = open({ kind: 'a' }, stored)
  expect(again.shown().isRestored).toBe(false)
  again.screen.other = ''
  again.form.scan()
  expect([again.screen.other, again.shown().isRestored]).toEqual(['Typed', true])
})

it('stores what a guest has typed before hydration', () => {
  const { type, stored } = open({ email: '' }, undefined, true)
  type('email', 'old@example.com')
  expect(open({ email: '' }, stored, true).screen.email).toBe('old@example.com')
  expect(open({ email: 'new@example.com' }, stored, true).screen.email).toBe('new@example.com')
  expect(stored.now).toEqual({ email: { typed: 'new@example.com', base: '' } })
})
