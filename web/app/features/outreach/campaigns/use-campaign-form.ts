import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useState } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { useSession } from '../../../session'
import { toast } from '../../../ui/toast'
import { conversationOf } from '../sequences/conversation'
import { messagesOf } from '../sequences/lint'
import {
  emptySequence,
  missingText,
  reengagementInput,
  type SequenceDraft,
  stepInputs,
} from '../sequences/sequence-draft'
import { useSequenceDraft } from '../sequences/use-sequence-draft'
import { useStartingTemplate } from '../templates/use-starting-template'
import { type CampaignFormValues, emptyDraft, isComplete, problemOf } from './campaign-form-rules'
import { type PreflightBody, usePreflight } from './preflight-panel'
import { launchText } from './preflight-text'
import type { RealSend } from './real-send'
import { fillForm, useCampaignDraft } from './use-campaign-draft'
import { type SaveMode, useCreateCampaign } from './use-create-campaign'

interface CampaignFormOptions {
  form: UseFormReturn<CampaignFormValues>
  realSend: RealSend
  /** Called when a template fills in the messages. */
  onTemplate?: () => void
  /** Called once the campaign has been created and, if requested, launched. The form is empty then. */
  onCreated?: (campaign: Campaign) => void
}

/** A new campaign while it is being written: its stored draft, its pre-flight and what can be done with it. */
export function useCampaignForm({ form, realSend, onTemplate = () => {}, onCreated = () => {} }: CampaignFormOptions) {
  const { status: session } = useSession()
  const sequence = useSequenceDraft()
  // A link's list or template is applied only once the stored draft is in the form.
  const [isRestored, setRestored] = useState(false)
  const template = useStartingTemplate(sequence, isRestored, onTemplate)
  const draft = useWatch({ control: form.control }) as CampaignFormValues
  const clear = () => {
    form.reset(emptyDraft)
    sequence.reset(emptySequence())
    template.clear()
  }
  const saved = useCampaignDraft({ form, draft, sequence, template, onRestored: () => setRestored(true) })
  const onDone = (campaign: Campaign) => {
    clear()
    onCreated(campaign)
  }
  const create = useCreateCampaign({ form, draft, sequence, template, saved, realSend, onDone })
  const checked = preflightOf(draft, sequence.draft)
  const preflight = usePreflight(checked)
  const isBusy = create.isPending
  const hasText = messagesOf(sequence.draft).some(({ text }) => text.trim() !== '')

  const submit = (mode: SaveMode) => {
    if (isBusy) return
    const problem = problemOf(draft, sequence.draft, session === 'signed-in')
    if (problem) return toast.error(problem)
    form.clearErrors()
    create.mutate(mode)
  }
  const discard = () => {
    const written = sequence.draft
    const { started } = template
    clear()
    const restore = () => {
      fillForm(form, draft)
      sequence.reset(written)
      template.restore(started)
    }
    toast.info('Campaign form cleared.', { action: { label: 'Undo', onClick: restore } })
  }
  return {
    form,
    draft,
    sequence,
    template,
    saved,
    checked,
    preflight,
    conversation: conversationOf(sequence.draft),
    isRestored,
    isBusy,
    isReady: isComplete(draft, sequence.draft) && !isBusy,
    hasText,
    /** What is still missing in the messages, or null. */
    missing: hasText ? missingText(sequence.draft) : null,
    /** Says who is messaged now, and who later. Null if everyone is messaged now. */
    launch: preflight.data ? launchText(preflight.data) : null,
    /** The save in progress. */
    pending: isBusy ? create.variables : null,
    submit,
    discard,
  }
}

export type CampaignFormState = ReturnType<typeof useCampaignForm>

/** The draft as input for pre-flight, or null until a list is chosen. */
function preflightOf(draft: CampaignFormValues, sequence: SequenceDraft): PreflightBody | null {
  const { leadListId, channel, xAccountId, allowRepeat, allowReplied } = draft
  if (leadListId === '') return null
  return {
    leadListId,
    steps: stepInputs(sequence),
    reengagement: reengagementInput(sequence),
    channel,
    allowRepeat,
    allowReplied,
    ...(xAccountId ? { xAccountId } : {}),
  }
}
