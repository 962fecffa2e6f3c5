import { ORPCError } from '@orpc/client'
import { hashKey } from '@tanstack/react-query'
import type { CampaignDraft } from '@x-automated/contract/outreach/campaign-drafts'
import { errorCode, errorText } from '../../../api'

export type DraftFields = Omit<CampaignDraft, 'id' | 'version' | 'updatedAt'>

/** The draft as this browser stores it. */
export interface StoredDraft {
  id: string
  /** The server's version that `fields` are based on; 0 if the server has none. */
  version: number
  /** Null: the form is empty. */
  fields: DraftFields | null
  /** The server has these fields. */
  isSaved: boolean
  /** When the server saved that version. */
  savedAt: string | null
}

/**
 * `conflict`: the server has another version, changed at `at`. `local`: only this browser has the
 * draft. `refused`: the server does not accept it, because of `text`.
 */
export type DraftStatus =
  | { kind: 'empty' | 'saving' | 'local' }
  | { kind: 'saved' | 'conflict'; at: string }
  | { kind: 'refused'; text: string }

interface Options {
  calls: {
    list: () => Promise<{ drafts: { id: string; updatedAt: string }[] }>
    find: (input: { id: string }) => Promise<CampaignDraft>
    save: (input: { id: string; version: number } & DraftFields) => Promise<CampaignDraft>
    remove: (input: { id: string }) => Promise<unknown>
  }
  store: { read: () => StoredDraft | null; write: (draft: StoredDraft | null) => void }
  /** Whether the user who opened the form is still signed in, in the same workspace. */
  isOwner: () => boolean
  show: (status: DraftStatus) => void
  /** Fills the form. Null: clears it. */
  apply: (fields: DraftFields | null) => void
}

const SAVE_AFTER_MS = 1_000
const RETRY_AFTER_MS = 15_000
/** HTTP statuses after which a retry may succeed. */
const TEMPORARY = [401, 408, 429]

/** The save of the form of this tab that was closed last, with what the server has since then. */
let closing: Promise<StoredDraft | null> = Promise.resolve(null)
/** A hanging save delays the next form no longer than this. */
const CLOSING_WAIT_MS = 5_000

const newDraft = (): StoredDraft => ({
  id: crypto.randomUUID(),
  version: 0,
  fields: null,
  isSaved: true,
  savedAt: null,
})
const isSame = (a: DraftFields | null, b: DraftFields | null) => hashKey([a]) === hashKey([b])
const fieldsOf = ({ id: _, version: __, updatedAt: ___, ...fields }: CampaignDraft): DraftFields => fields

/** Saves a new campaign while it is being written: immediately in this browser, and after a pause on the server. */
export function createCampaignSaves({ calls, store, isOwner, show, apply }: Options) {
  let draft = store.read() ?? newDraft()
  /** The save of the form before this one. */
  let predecessor = closing
  let theirs: CampaignDraft | null = null
  let saving: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  /** The draft is about to become a campaign. */
  let isSettled = false

  const keep = (change: Partial<StoredDraft>) => {
    const before = draft
    draft = { ...draft, ...change }
    // Once the form is closed, what is stored may be of the next form.
    const stored = isClosed ? store.read() : null
    if (isClosed && !(stored?.id === draft.id && isSame(stored.fields, before.fields))) return
    store.write(draft.fields === null && draft.version === 0 ? null : draft)
  }
  /** Waits for the save of the form before this one, and takes its version over. */
  const takeOver = async () => {
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, CLOSING_WAIT_MS, null))
    const last = await Promise.race([predecessor, timeout])
    if (last?.id !== draft.id || last.version <= draft.version) return
    const { version, savedAt, fields } = last
    draft = { ...draft, version, savedAt, isSaved: last.isSaved && isSame(fields, draft.fields) }
    if (!isClosed) keep({})
  }
  const adopt = (other: CampaignDraft) => {
    const fields = fieldsOf(other)
    const { id, version, updatedAt: savedAt } = other
    const isShown = isSame(fields, draft.fields)
    keep({ id, version, fields, isSaved: true, savedAt })
    if (!isShown) apply(fields)
    show({ kind: 'saved', at: savedAt })
  }
  const ask = (other: CampaignDraft) => {
    theirs = other
    show({ kind: 'conflict', at: other.updatedAt })
  }
  const schedule = (ms = SAVE_AFTER_MS) => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(() => void save(), ms)
  }

  async function save(): Promise<void> {
    clearTimeout(timer)
    if (saving) return saving
    if (isSettled || theirs || draft.isSaved || !isOwner()) return
    saving = takeOver()
      .then(() => send(draft))
      .finally(() => {
        saving = null
      })
    await saving
  }

  async function send({ id, version, fields }: StoredDraft): Promise<void> {
    show({ kind: 'saving' })
    try {
      const saved = fields === null ? await remove(id, version) : await calls.save({ id, version, ...fields })
      // The form now contains another draft, or asks which version to keep.
      if (draft.id !== id || theirs) return
      if (saved) {
        keep({ version: saved.version, isSaved: draft.fields === fields, savedAt: saved.updatedAt })
        show({ kind: 'saved', at: saved.updatedAt })
      } else {
        keep({ version: 0, isSaved: draft.fields === null, savedAt: null })
        show({ kind: 'empty' })
      }
      if (!draft.isSaved) schedule()
    } catch (error) {
      const other = errorCode(error) === 'DRAFT_CHANGED' ? await calls.find({ id }).catch(() => null) : null
      if (draft.id !== id) return
      if (other) return ask(other)
      if (errorCode(error) === 'DRAFT_NOT_FOUND') {
        keep({ version: 0, isSaved: draft.fields === null, savedAt: null })
        if (draft.isSaved) show({ kind: 'empty' })
        else schedule(0)
      } else if (isRefusal(error)) show({ kind: 'refused', text: errorText(error) })
      else {
        show({ kind: 'local' })
        schedule(RETRY_AFTER_MS)
      }
    }
  }

  /** Deletes the server's draft. If it was changed somewhere else, asks which version to keep. */
  async function remove(id: string, version: number): Promise<null> {
    if (version === 0) return null
    const stored = await calls.find({ id })
    if (stored.version === version) await calls.remove({ id })
    else if (draft.id === id) ask(stored)
    return null
  }

  async function start(): Promise<void> {
    isClosed = false
    predecessor = closing
    const local = store.read()
    // The form before this one may have stored it after this one was created.
    if (local) draft = local
    if (local?.fields) {
      apply(local.fields)
      show(local.isSaved && local.savedAt ? { kind: 'saved', at: local.savedAt } : { kind: 'local' })
    }
    try {
      await takeOver()
      const { drafts } = await calls.list()
      const wanted = local ? drafts.find(({ id }) => id === local.id) : drafts[0]
      if (wanted && wanted.updatedAt !== draft.savedAt) {
        const stored = await calls.find({ id: wanted.id })
        if (draft.isSaved || isSame(fieldsOf(stored), draft.fields)) return adopt(stored)
        // If this browser had no draft, what the user has typed in the meantime is a new one.
        if (local) return ask(stored)
      } else if (!wanted && draft.version > 0) {
        // The server's draft became a campaign or was deleted somewhere else.
        if (draft.isSaved) {
          forget()
          return apply(null)
        }
        keep({ version: 0, savedAt: null })
      }
      if (!draft.isSaved) schedule(0)
    } catch {
      if (!draft.isSaved) schedule(RETRY_AFTER_MS)
    }
  }

  function forget(): void {
    clearTimeout(timer)
    theirs = null
    isSettled = false
    draft = newDraft()
    store.write(null)
    show({ kind: 'empty' })
  }

  return {
    /** Fills the form with this browser's draft, then with the server's if that is newer. */
    start,
    /** Stores what the form contains now. */
    change(fields: DraftFields | null): void {
      if (isSame(fields, draft.fields)) return
      keep({ fields, isSaved: fields === null && draft.version === 0 })
      if (draft.isSaved) show({ kind: 'empty' })
      else if (!isSettled) schedule()
    },
    /** Saves unsaved changes immediately. */
    save,
    /** Resolves a conflict by keeping the server's version or this browser's. */
    choose(version: 'theirs' | 'mine'): void {
      if (!theirs) return
      const other = theirs
      theirs = null
      if (version === 'theirs') adopt(other)
      else {
        keep({ version: other.version, isSaved: false })
        void save()
      }
    },
    /**
     * Waits for the save in progress, and starts no other until `resume` or `forget`.
     * @returns the id of the server's draft; undefined if it has none or the versions conflict
     */
    async settle(): Promise<string | undefined> {
      isSettled = true
      clearTimeout(timer)
      await saving
      await takeOver()
      return draft.version > 0 && !theirs ? draft.id : undefined
    },
    /** Resumes saving, because the draft did not become a campaign. */
    resume(): void {
      isSettled = false
      if (!draft.isSaved) schedule()
    },
    /** Discards the draft, because it has become a campaign. */
    forget,
    /** Saves unsaved changes when the form closes. Does not retry. */
    close(): void {
      isClosed = true
      const before = saving ?? Promise.resolve()
      closing = before.then(() => save()).then(() => draft)
      clearTimeout(timer)
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ORPCError && error.status < 500 && !TEMPORARY.includes(error.status)
}
