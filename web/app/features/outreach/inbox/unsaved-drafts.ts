import { workspaceValue } from '../../../workspace-value'

/** Typed text that is not on the server yet. */
interface UnsavedDraft {
  text: string
  /** It was typed before the draft had loaded, so it is appended to the draft. */
  isAddition: boolean
}

const drafts = workspaceValue<ReadonlyMap<string, UnsavedDraft>>(new Map())

/** The unsaved text of a conversation, if any. */
export const unsavedDraft = (id: string) => drafts.get().get(id)

/** Stores a conversation's typed text until it is saved. @param draft null once it was saved or sent */
export function keepUnsaved(id: string, draft: UnsavedDraft | null): void {
  const updated = new Map(drafts.get())
  if (draft === null || (draft.isAddition && draft.text === '')) updated.delete(id)
  else updated.set(id, draft)
  drafts.set(updated)
}

/** The text of a reply box. @param saved the server's draft; undefined if unknown */
export function draftText(saved: string | undefined, unsaved: UnsavedDraft | undefined): string {
  if (!unsaved) return saved ?? ''
  if (!unsaved.isAddition || !saved) return unsaved.text
  if (unsaved.text === '') return saved
  return /\s$/.test(saved) ? saved + unsaved.text : `${saved}\n${unsaved.text}`
}
