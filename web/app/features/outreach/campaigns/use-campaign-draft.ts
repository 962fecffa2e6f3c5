import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { client } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { readTyped, typedKey, writeTyped } from '../../../typed-text'
import { messagesOf } from '../sequences/lint'
import { draftFromTexts, draftOfTyped, emptySequence, typedReengagement, typedSteps } from '../sequences/sequence-draft'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import type { StartingTemplate } from '../templates/use-starting-template'
import { type CampaignFormValues, emptyDraft } from './campaign-form-rules'
import { createCampaignSaves, type DraftFields, type DraftStatus, type StoredDraft } from './draft-saves'

interface FormParts {
  form: UseFormReturn<CampaignFormValues>
  draft: CampaignFormValues
  sequence: SequenceEditor
  template: StartingTemplate
  /** Called once the form has been filled with the stored draft, if there is one. */
  onRestored: () => void
}

/** Stores the form's campaign while it is written, and fills the form with it after a reload. */
export function useCampaignDraft({ form, draft, sequence, template, onRestored }: FormParts) {
  const [status, setStatus] = useState<DraftStatus>({ kind: 'empty' })
  // A list or name that the form chose by default does not count as typed.
  const isTyped = form.formState.isDirty || messagesOf(sequence.draft).some(({ text }) => text.trim() !== '')
  const fields = isTyped ? fieldsOf(draft, sequence, template) : null
  const apply = (next: DraftFields | null) => {
    fillForm(form, next ?? {})
    const { steps, messageTemplate, reengagement, templateId } = next ?? {}
    sequence.reset({
      ...(steps
        ? draftOfTyped(steps)
        : messageTemplate
          ? draftFromTexts([{ text: messageTemplate }])
          : emptySequence()),
      reengagement: reengagement
        ? { ...reengagement, afterDays: reengagement.afterDays ?? null, key: crypto.randomUUID() }
        : null,
    })
    template.clear()
    if (templateId) void restoreTemplate(templateId, template)
  }
  const latest = useRef(apply)
  useLayoutEffect(() => {
    latest.current = apply
  })
  const [saves] = useState(() => {
    const key = typedKey('campaign')
    const isOwner = () => key !== null && typedKey('campaign') === key
    return createCampaignSaves({
      calls: client.campaignDrafts,
      store: {
        read: () => (key === null ? null : readTyped<StoredDraft>(localStorage, key)),
        write: (stored) => isOwner() && key !== null && writeTyped(localStorage, key, stored),
      },
      isOwner,
      show: setStatus,
      apply: (next) => latest.current(next),
    })
  })
  const change = useEffectEvent(() => saves.change(fields))
  const restored = useEffectEvent(onRestored)
  useEffect(() => {
    void saves.start().then(() => restored())
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
  const { settle, resume, forget, choose } = saves
  return { status, settle, resume, forget, choose }
}

export type SavedDraft = ReturnType<typeof useCampaignDraft>

/** Fills the form's fields as if the user had typed these values. */
export function fillForm(form: UseFormReturn<CampaignFormValues>, values: Partial<CampaignFormValues>): void {
  form.reset(emptyDraft)
  for (const field of Object.keys(emptyDraft) as (keyof CampaignFormValues)[]) {
    const value = values[field]
    if (value !== undefined && value !== emptyDraft[field]) form.setValue(field, value, { shouldDirty: true })
  }
}

/** What the form contains, as typed. */
function fieldsOf(
  draft: CampaignFormValues,
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

/** Shows which template the draft was started from, if it still exists. */
async function restoreTemplate(id: string, template: StartingTemplate): Promise<void> {
  const { templates } = await client.templates.list({}).catch(() => ({ templates: [] }))
  const found = templates.find((candidate) => candidate.id === id)
  if (found) template.restore({ id, name: found.name, leftOut: null })
}
