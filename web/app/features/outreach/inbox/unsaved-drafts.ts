import { sessionStorage } from '../../../browser-storage'
import { typedKey } from '../../../typed-text'

/** Typed text that is not on the server yet. */
interface UnsavedDraft {
  text: string
  /** The text was typed before the draft had loaded, so it is appended to the draft. */
  isAddition: boolean
}

const draftsKey = () => typedKey('answers')

function drafts(): Readonly<Record<string, UnsavedDraft | undefined>> {
  const key = draftsKey()
  try {
    return key === null ? {} : (JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, UnsavedDraft>)
  } catch {
    return {}
  }
}

/** Conversations in which text was typed since the page was loaded. */
const typedHere = new Set<string>()

/** The unsaved text of a conversation, if any. */
export const unsavedDraft = (id: string): UnsavedDraft | undefined => drafts()[id]

/** Stores a conversation's typed text until it is saved. @param draft null once it has been saved or sent */
export function keepUnsaved(id: string, draft: UnsavedDraft | null): void {
  const key = draftsKey()
  if (key === null) return
  const { [id]: before, ...others } = drafts()
  const isEmpty = draft === null || (draft.isAddition && draft.text === '')
  const updated = isEmpty ? others : { ...others, [id]: draft }
  if (before?.text !== draft?.text) typedHere.add(id)
  if (Object.keys(updated).length > 0) sessionStorage.setItem(key, JSON.stringify(updated))
  else sessionStorage.removeItem(key)
}

/** Removes a text that was typed before a reload, if the server has it. @param saved the server's draft */
export function forgetSaved(id: string, saved: string): void {
  if (!typedHere.has(id) && unsavedDraft(id)?.text === saved) keepUnsaved(id, null)
}

/** The text of a reply box. @param saved the server's draft; undefined if unknown */
export function draftText(saved: string | undefined, unsaved: UnsavedDraft | undefined): string {
  if (!unsaved) return saved ?? ''
  if (!unsaved.isAddition || !saved) return unsaved.text
  if (unsaved.text === '') return saved
  return /\s$/.test(saved) ? saved + unsaved.text : `${saved}\n${unsaved.text}`
}
