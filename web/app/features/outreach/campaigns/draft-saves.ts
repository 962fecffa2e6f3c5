import { hashKey } from '@tanstack/react-query'
import type { CampaignDraft } from '@x-automated/contract/outreach/campaign-drafts'
import { errorCode } from '../../../api'

export type DraftFields = Omit<CampaignDraft, 'id' | 'version' | 'updatedAt'>

/** The draft as this browser stores it. */
export interface StoredDraft {
  id: string
  /** The server's version that `fields` were changed from; 0: the server has none. */
  version: number
  /** Null: the form is empty. */
  fields: DraftFields | null
  /** The server has these fields. */
  isSaved: boolean
  /** When the server saved that version. */
  savedAt: string | null
}

/** `conflict`: the server has another version, changed at `at`. `local`: only this browser has the draft. */
export type DraftStatus = { kind: 'empty' | 'saving' | 'local' } | { kind: 'saved' | 'conflict'; at: string }

interface Options {
  calls: {
    list: () => Promise<{ drafts: { id: string; updatedAt: string }[] }>
    find: (input: { id: string }) => Promise<CampaignDraft>
    save: (input: { id: string; version: number } & DraftFields) => Promise<CampaignDraft>
    remove: (input: { id: string }) => Promise<unknown>
  }
  store: { read: () => StoredDraft | null; write: (draft: StoredDraft | null) => void }
  show: (status: DraftStatus) => void
  /** Fills the form. Null: clears it. */
  apply: (fields: DraftFields | null) => void
}

const SAVE_AFTER_MS = 1_000
const RETRY_AFTER_MS = 15_000

const newDraft = (): StoredDraft => ({
  id: crypto.randomUUID(),
  version: 0,
  fields: null,
  isSaved: true,
  savedAt: null,
})
const isSame = (a: DraftFields | null, b: DraftFields | null) => hashKey([a]) === hashKey([b])

/** Saves a new campaign while it is written: in this browser at once, and on the server after a pause. */
export function createDraftSaves({ calls, store, show, apply }: Options) {
  let draft = store.read() ?? newDraft()
  let theirs: CampaignDraft | null = null
  let saving: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const keep = (change: Partial<StoredDraft>) => {
    draft = { ...draft, ...change }
    store.write(draft.fields === null && draft.version === 0 ? null : draft)
  }
  const adopt = ({ id, version, updatedAt, ...fields }: CampaignDraft) => {
    keep({ id, version, fields, isSaved: true, savedAt: updatedAt })
    apply(fields)
    show({ kind: 'saved', at: updatedAt })
  }
  const ask = (other: CampaignDraft) => {
    theirs = other
    show({ kind: 'conflict', at: other.updatedAt })
  }
  const schedule = (ms = SAVE_AFTER_MS) => {
    clearTimeout(timer)
    timer = setTimeout(() => void save(), ms)
  }

  async function save(): Promise<void> {
    clearTimeout(timer)
    if (saving) return saving
    if (theirs || draft.isSaved) return
    saving = send(draft).finally(() => {
      saving = null
    })
    await saving
  }

  async function send({ id, version, fields }: StoredDraft): Promise<void> {
    show({ kind: 'saving' })
    try {
      if (fields === null) {
        if (version > 0) await calls.remove({ id })
        keep({ version: 0, isSaved: draft.fields === null, savedAt: null })
        show({ kind: 'empty' })
      } else {
        const saved = await calls.save({ id, version, ...fields })
        keep({ version: saved.version, isSaved: draft.fields === fields, savedAt: saved.updatedAt })
        show({ kind: 'saved', at: saved.updatedAt })
      }
      if (!draft.isSaved) schedule()
    } catch (error) {
      const code = errorCode(error)
      if (code === 'DRAFT_NOT_FOUND') {
        keep({ version: 0, isSaved: draft.fields === null, savedAt: null })
        return schedule(0)
      }
      const other = code === 'DRAFT_CHANGED' ? await calls.find({ id }).catch(() => null) : null
      if (other) return ask(other)
      show({ kind: 'local' })
      schedule(RETRY_AFTER_MS)
    }
  }

  return {
    /** Fills the form with the draft of this browser, then with what the server has. */
    async start(): Promise<void> {
      const local = store.read()
      if (local?.fields) {
        apply(local.fields)
        show(local.isSaved && local.savedAt ? { kind: 'saved', at: local.savedAt } : { kind: 'local' })
      }
      try {
        const { drafts } = await calls.list()
        const wanted = local ? drafts.find(({ id }) => id === local.id) : drafts[0]
        if (wanted && wanted.updatedAt !== draft.savedAt) {
          const stored = await calls.find({ id: wanted.id })
          if (draft.isSaved) return adopt(stored)
          // Without a draft in this browser, what is typed meanwhile is another one.
          if (local) return ask(stored)
        } else if (!wanted && draft.version > 0) {
          // It became a campaign or was deleted elsewhere.
          if (draft.isSaved) {
            this.forget()
            return apply(null)
          }
          keep({ version: 0, savedAt: null })
        }
        if (!draft.isSaved) schedule(0)
      } catch {
        if (!draft.isSaved) schedule(RETRY_AFTER_MS)
      }
    },
    /** Stores what the form contains now. */
    change(fields: DraftFields | null): void {
      if (isSame(fields, draft.fields)) return
      keep({ fields, isSaved: fields === null && draft.version === 0 })
      if (draft.isSaved) show({ kind: 'empty' })
      else schedule()
    },
    /** Retries at once, because the browser is online again. */
    save,
    /** Ends a conflict with one of the two versions. */
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
    /** Waits for the save in progress and begins no other. @returns the id of the server's draft, if it has one */
    async settle(): Promise<string | undefined> {
      clearTimeout(timer)
      await saving
      clearTimeout(timer)
      return draft.version > 0 ? draft.id : undefined
    },
    /** The draft has become a campaign, or is gone from the server. */
    forget(): void {
      clearTimeout(timer)
      theirs = null
      draft = newDraft()
      store.write(null)
      show({ kind: 'empty' })
    },
    /** Saves what is left when the form closes. */
    close(): void {
      void save()
      clearTimeout(timer)
    },
  }
}
