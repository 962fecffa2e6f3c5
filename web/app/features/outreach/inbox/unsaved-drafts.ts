import { keptPerWorkspace } from '../../../kept-per-workspace'

/** What someone has typed that the server does not have yet. */
interface UnsavedDraft {
  text: string
  /** Typed before the conversation's draft was known, so it follows that draft. */
  isAddition: boolean
}

const drafts = keptPerWorkspace<ReadonlyMap<string, UnsavedDraft>>(new Map())

/** What was typed in a conversation and not saved. */
export const unsavedDraft = (id: string) => drafts.get().get(id)

/** Keeps what is typed in a conversation until it is saved. @param draft null: it is, or was sent */
export function keepUnsaved(id: string, draft: UnsavedDraft | null): void {
  const updated = new Map(drafts.get())
  if (draft === null || (draft.isAddition && draft.text === '')) updated.delete(id)
  else updated.set(id, draft)
  drafts.set(updated)
}

/** The text of a reply box. @param saved the server's draft; undefined: not known yet */
export function draftText(saved: string | undefined, unsaved: UnsavedDraft | undefined): string {
  if (!unsaved) return saved ?? ''
  if (!unsaved.isAddition || !saved) return unsaved.text
  if (unsaved.text === '') return saved
  return /\s$/.test(saved) ? saved + unsaved.text : `${saved}\n${unsaved.text}`
}
