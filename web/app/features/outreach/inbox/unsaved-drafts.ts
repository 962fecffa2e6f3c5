import { keptPerWorkspace } from '../../../kept-per-workspace'

/** Typed text that the server does not have yet. */
interface UnsavedDraft {
  text: string
  /** It was typed before the conversation's draft was known, so it is appended to that draft. */
  isAddition: boolean
}

const drafts = keptPerWorkspace<ReadonlyMap<string, UnsavedDraft>>(new Map())

/** The unsaved text of a conversation. */
export const unsavedDraft = (id: string) => drafts.get().get(id)

/** Keeps a conversation's typed text until it is saved. @param draft null: it was saved or sent */
export function keepUnsaved(id: string, draft: UnsavedDraft | null): void {
  const updated = new Map(drafts.get())
  if (draft === null || (draft.isAddition && draft.text === '')) updated.delete(id)
  else updated.set(id, draft)
  drafts.set(updated)
}

/** The text of a reply box. @param saved the server's draft; undefined: unknown */
export function draftText(saved: string | undefined, unsaved: UnsavedDraft | undefined): string {
  if (!unsaved) return saved ?? ''
  if (!unsaved.isAddition || !saved) return unsaved.text
  if (unsaved.text === '') return saved
  return /\s$/.test(saved) ? saved + unsaved.text : `${saved}\n${unsaved.text}`
}
