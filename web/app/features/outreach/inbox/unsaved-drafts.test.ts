import { beforeEach, expect, test, vi } from 'vitest'
import { draftText, forgetSaved, keepUnsaved, unsavedDraft } from './unsaved-drafts'

const { typedKey } = vi.hoisted(() => ({ typedKey: vi.fn() }))
vi.mock('../../../typed-text', () => ({ typedKey }))
beforeEach(() => void typedKey.mockReturnValue('typed.answers.me.workspace'))

test('shows what was typed instead of the saved draft, or after a draft that was not known', () => {
  expect(draftText(undefined, undefined)).toBe('')
  expect(draftText('Saved', undefined)).toBe('Saved')
  expect(draftText('Saved', { text: 'Newer', isAddition: false })).toBe('Newer')
  expect(draftText('Saved', { text: '', isAddition: false })).toBe('')
  expect(draftText(undefined, { text: 'Typed', isAddition: true })).toBe('Typed')
  expect(draftText('', { text: 'Typed', isAddition: true })).toBe('Typed')
  expect(draftText('Saved', { text: 'typed', isAddition: true })).toBe('Saved\ntyped')
  expect(draftText('Saved', { text: '', isAddition: true })).toBe('Saved')
  expect(draftText('Saved\n', { text: 'typed', isAddition: true })).toBe('Saved\ntyped')
})

test('keeps what was typed in each conversation until it is saved', () => {
  keepUnsaved('one', { text: 'First', isAddition: true })
  keepUnsaved('two', { text: '', isAddition: false })
  expect([unsavedDraft('one')?.text, unsavedDraft('two')?.text]).toEqual(['First', ''])
  keepUnsaved('one', { text: '', isAddition: true })
  keepUnsaved('two', null)
  expect([unsavedDraft('one'), unsavedDraft('two')]).toEqual([undefined, undefined])
})

test('keeps nothing while nobody is signed in', () => {
  typedKey.mockReturnValue(null)
  keepUnsaved('one', { text: 'First', isAddition: true })
  typedKey.mockReturnValue('typed.answers.other.workspace')
  expect(unsavedDraft('one')).toBeUndefined()
})

test('keeps what was typed over a reload, until the server has it', async () => {
  const values = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  })
  keepUnsaved('one', { text: 'Typed', isAddition: false })
  forgetSaved('one', 'Typed')
  // The server may not have saved this text yet. Without it, an older draft would remain.
  expect(unsavedDraft('one')?.text).toBe('Typed')
  vi.resetModules()
  const reloaded = await import('./unsaved-drafts')
  reloaded.forgetSaved('one', 'Older')
  expect(reloaded.unsavedDraft('one')).toEqual({ text: 'Typed', isAddition: false })
  reloaded.forgetSaved('one', 'Typed')
  expect(values.size).toBe(0)
})
