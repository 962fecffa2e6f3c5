import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { client } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { typedKey } from '../../../typed-text'
import { messagesOf } from '../sequences/lint'
import { draftOfTemplate, emptySequence, typedReengagement, typedSteps } from '../sequences/sequence-draft'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import type { StartingTemplate } from '../templates/use-starting-template'
import { type CampaignDraft, emptyDraft } from './campaign-form-rules'
import { createDraftSaves, type DraftFields, type DraftStatus, type StoredDraft } from './draft-saves'

interface FormParts {
  form: UseFormReturn<CampaignDraft>
  draft: CampaignDraft
  sequence: SequenceEditor
  template: StartingTemplate
}

/** Stores the form's campaign while it is written, and fills the form with it after a reload. */
export function useCampaignDraft({ form, draft, sequence, template }: FormParts) {
  const [status, setStatus] = useState<DraftStatus>({ kind: 'empty' })
  // A list or name that the form chose is nothing that anybody typed.
  const isTyped = form.formState.isDirty || messagesOf(sequence.draft).some(({ text }) => text.trim() !== '')
  const fields = isTyped ? fieldsOf(draft, sequence, template) : null
  const apply = (next: DraftFields | null) => {
    form.reset(emptyDraft)
    sequence.reset(next?.steps ? draftOfTemplate(next.steps) : emptySequence())
    if (next?.reengagement)
      sequence.change((written) => ({
        ...written,
        reengagement: next.reengagement ? { ...next.reengagement, key: crypto.randomUUID() } : null,
      }))
    const typed = { ...emptyDraft, ...next, leadListId: next?.leadListId ?? '', xAccountId: next?.xAccountId ?? '' }
    for (const field of Object.keys(emptyDraft) as (keyof CampaignDraft)[])
      if (typed[field] !== emptyDraft[field]) form.setValue(field, typed[field], { shouldDirty: true })
    template.clear()
    const { templateId } = next ?? {}
    if (templateId) void restoreTemplate(templateId, template)
  }
  const applyRef = useRef(apply)
  useLayoutEffect(() => {
    applyRef.current = apply
  })
  const [saves] = useState(() =>
    createDraftSaves({
      calls: client.campaignDrafts,
      store: { read, write },
      show: setStatus,
      apply: (next) => applyRef.current(next),
    }),
  )
  const change = useEffectEvent(() => saves.change(fields))
  useEffect(() => {
    void saves.start()
    const retry = () => void saves.save()
    addEventListener('online', retry)
    addEventListener('pagehide', change)
    return () => {
      removeEventListener('online', retry)
      removeEventListener('pagehide', change)
      change()
      saves.close()
    }
  }, [saves])
  // Waits for the render in which the form was filled.
  const written = JSON.stringify(fields)
  useEffect(() => {
    const timer = setTimeout(() => saves.change(JSON.parse(written) as DraftFields | null), 50)
    return () => clearTimeout(timer)
  }, [saves, written])
  return { status, settle: saves.settle, forget: saves.forget, choose: saves.choose }
}

export type SavedDraft = ReturnType<typeof useCampaignDraft>

/** What the form contains, as typed. */
function fieldsOf(
  draft: CampaignDraft,
  { draft: written }: SequenceEditor,
  { started }: StartingTemplate,
): DraftFields {
  const { leadListId, xAccountId, ...others } = draft
  return {
    ...others,
    ...(leadListId && { leadListId }),
    ...(xAccountId && { xAccountId }),
    ...(started && { templateId: started.id }),
    steps: typedSteps(written),
    reengagement: typedReengagement(written),
  }
}

/** Shows from which template the draft was started, if it still exists. */
async function restoreTemplate(id: string, template: StartingTemplate): Promise<void> {
  const { templates } = await client.templates.list({}).catch(() => ({ templates: [] }))
  const found = templates.find((candidate) => candidate.id === id)
  if (found) template.restore({ id, name: found.name, leftOut: null })
}

const key = () => typedKey('campaign')

function read(): StoredDraft | null {
  try {
    return JSON.parse(localStorage.getItem(key()) ?? 'null') as StoredDraft | null
  } catch {
    return null
  }
}

function write(draft: StoredDraft | null): void {
  if (draft) localStorage.setItem(key(), JSON.stringify(draft))
  else localStorage.removeItem(key())
}
