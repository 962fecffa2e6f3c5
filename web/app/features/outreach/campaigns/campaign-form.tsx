import { ChevronUp, Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useSearchParams } from 'react-router'
import { localStorage } from '../../../browser-storage'
import { useSession } from '../../../session'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Checkbox } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { conversationOf } from '../sequences/conversation'
import { messagesOf } from '../sequences/lint'
import { SequenceBuilder } from '../sequences/sequence-builder'
import {
  draftFromTexts,
  emptySequence,
  missingText,
  reengagementInput,
  type SequenceDraft,
  stepInputs,
} from '../sequences/sequence-draft'
import { useSequenceDraft } from '../sequences/use-sequence-draft'
import { TemplateBar } from '../templates/template-bar'
import { useStartingTemplate } from '../templates/use-starting-template'
import { AccountField } from './account-field'
import {
  type CampaignFormValues,
  emptyDraft,
  heldText,
  INCLUDE_CONTACTED,
  INCLUDE_REPLIED,
  isComplete,
  problemOf,
} from './campaign-form-rules'
import { ChannelField } from './channel-field'
import { DraftConflict, DraftNote } from './draft-note'
import { LIST_PARAM, ListField } from './list-field'
import { MessagePreview } from './message-preview'
import { type PreflightBody, PreflightPanel, usePreflight } from './preflight-panel'
import { launchText } from './preflight-text'
import type { RealSend } from './real-send'
import { fillForm, useCampaignDraft } from './use-campaign-draft'
import { type SaveMode, useCreateCampaign } from './use-create-campaign'

const FOLDED_KEY = 'campaignForm'
/** A query parameter that opens the form, even if the page is already open. */
const NEW_PARAM = 'new'
/** Keeps the button on the right on narrow screens, too. */
const BUTTON_RIGHT = '[&>:first-child]:flex-nowrap'

/** Whether the user has collapsed the form in this browser. Links that start a campaign expand it. */
export const isFormFolded = () => {
  const params = new URLSearchParams(location.search)
  return localStorage.getItem(FOLDED_KEY) === 'folded' && !params.has(LIST_PARAM) && !params.has(NEW_PARAM)
}

/** Opens the form if the URL requests it, then removes that parameter. */
function useRequestedForm(show: () => void) {
  const [params, setParams] = useSearchParams()
  const isAsked = params.has(NEW_PARAM)
  const showForm = useEffectEvent(() => {
    setParams({}, { replace: true, preventScrollReset: true })
    show()
  })
  useEffect(() => {
    if (isAsked) showForm()
  }, [isAsked])
}

/** Creates a campaign, paused or launched. Collapsing the form does not lose what was entered. */
export function CampaignForm({ realSend }: { realSend: RealSend }) {
  const { status: session } = useSession()
  const [isFolded, setFolded] = useState(isFormFolded)
  const form = useForm<CampaignFormValues>({ defaultValues: emptyDraft })
  useRequestedForm(() => {
    setFolded(false)
    requestAnimationFrame(() => form.setFocus('name'))
  })
  const { errors } = form.formState
  const sequence = useSequenceDraft()
  // Links choose a list or a template once the stored draft is in the form.
  const [isRestored, setRestored] = useState(false)
  const template = useStartingTemplate(sequence, isRestored, () => setFolded(false))
  const draft = useWatch({ control: form.control }) as CampaignFormValues
  const clear = () => {
    form.reset(emptyDraft)
    sequence.reset(emptySequence())
    template.clear()
  }
  const saved = useCampaignDraft({ form, draft, sequence, template, onRestored: () => setRestored(true) })
  const create = useCreateCampaign({ form, draft, sequence, template, saved, realSend, onDone: clear })
  const checked = preflightOf(draft, sequence.draft)
  const preflight = usePreflight(checked)
  const busy = create.isPending
  const pending = busy ? create.variables : null
  const conversation = conversationOf(sequence.draft)
  const isReady = isComplete(draft, sequence.draft) && !busy
  const hasText = messagesOf(sequence.draft).some(({ text }) => text.trim() !== '')

  const submit = (mode: SaveMode) => {
    if (busy) return
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

  const foldButton = <FoldButton isFolded={isFolded} disabled={busy} onFold={setFolded} />
  if (isFolded)
    return (
      <Card
        className={BUTTON_RIGHT}
        title={
          <span className="flex min-h-8 flex-wrap items-center gap-x-3">
            Create campaign{' '}
            <span className="text-sm font-normal wrap-anywhere text-muted">{heldText(draft, sequence.draft)}</span>
          </span>
        }
        actions={foldButton}
      />
    )
  return (
    <Card
      className={BUTTON_RIGHT}
      title="Create campaign"
      description="Everyone on the list gets your messages, one by one, until they reply."
      actions={foldButton}
    >
      <Form
        className="@container grid-cols-1 gap-5"
        // Pressing Enter in a field must not launch the campaign.
        onSubmit={() => submit('pause')}
      >
        <div className="grid gap-6 @min-[48rem]:grid-cols-[minmax(0,1fr)_18rem] @min-[48rem]:gap-8 @min-[68rem]:grid-cols-[minmax(0,1fr)_33.5rem] @min-[68rem]:gap-6">
          <fieldset disabled={busy} className="grid min-w-0 content-start gap-4">
            <div className="grid gap-4 sm:grid-cols-2">
              <Field label="Campaign Name" error={errors.name?.message} required>
                <Input
                  placeholder="Founders, first hello"
                  autoComplete="off"
                  {...form.register('name', { onChange: () => form.clearErrors('name') })}
                />
              </Field>
              <ListField
                form={form}
                value={draft.leadListId}
                isReady={isRestored}
                onMessage={(text) => !hasText && sequence.reset(draftFromTexts([{ text }]))}
              />
            </div>
            <TemplateBar editor={sequence} template={template} name={draft.name} />
            <SequenceBuilder editor={sequence} />
            <ChannelField value={draft.channel} onChange={(channel) => form.setValue('channel', channel)} />
            <AccountField
              channel={draft.channel}
              value={draft.xAccountId}
              onChange={(id) => form.setValue('xAccountId', id)}
            />
            <Checkbox {...INCLUDE_CONTACTED} {...form.register('allowRepeat')} />
            <Checkbox {...INCLUDE_REPLIED} {...form.register('allowReplied')} />
          </fieldset>
          <div className="grid min-w-0 content-start items-start gap-6 @min-[68rem]:grid-cols-[17rem_minmax(0,1fr)]">
            <div className="@min-[68rem]:sticky @min-[68rem]:top-[calc(var(--spacing-header)+1rem)]">
              <MessagePreview messages={conversation} listId={draft.leadListId} xAccountId={draft.xAccountId || null} />
            </div>
            <div className="grid gap-4">
              <PreflightPanel input={checked} preflight={preflight} />
              <UsageNotice what="dms" />
            </div>
          </div>
        </div>
        <DraftConflict saved={saved} />
        <FormFooter
          note={<DraftNote status={saved.status} />}
          missing={hasText ? missingText(sequence.draft) : null}
          launch={preflight.data && launchText(preflight.data)}
          isReady={isReady}
          pending={pending}
          onDiscard={discard}
          onSubmit={submit}
        />
      </Form>
    </Card>
  )
}

interface FoldButtonProps {
  isFolded: boolean
  disabled: boolean
  onFold: (isFolded: boolean) => void
}

/** Collapses and expands the form. The browser remembers it. */
function FoldButton({ isFolded, disabled, onFold }: FoldButtonProps) {
  const fold = () => {
    onFold(!isFolded)
    if (isFolded) localStorage.removeItem(FOLDED_KEY)
    else localStorage.setItem(FOLDED_KEY, 'folded')
  }
  return (
    // A single button, so that it keeps the focus.
    <Button
      size="sm"
      variant={isFolded ? 'primary' : 'ghost'}
      title={isFolded ? undefined : 'Hide form'}
      aria-expanded={!isFolded}
      disabled={disabled}
      onClick={fold}
      icon={isFolded ? <Pencil /> : <ChevronUp />}
    >
      {isFolded ? 'Write messages' : <span className="sr-only">Hide form</span>}
    </Button>
  )
}

interface FormFooterProps {
  /** Says where the draft is saved. */
  note: ReactNode
  /** What is still missing in the messages, or null. */
  missing: string | null
  /** Who is messaged when. Null if everyone is messaged now. */
  launch: string | null
  isReady: boolean
  /** The save in progress. */
  pending: SaveMode | null
  onDiscard: () => void
  onSubmit: (mode: SaveMode) => void
}

function FormFooter({ note, missing, launch, isReady, pending, onDiscard, onSubmit }: FormFooterProps) {
  // While saving, the pressed button keeps the focus.
  const isDisabled = (mode: SaveMode) => !isReady && pending !== mode
  return (
    <div className="-mx-5 -mb-5 flex flex-col-reverse gap-2 rounded-b-lg border-t border-line bg-surface px-5 py-4 sm:flex-row sm:flex-wrap sm:items-center sm:justify-end md:sticky md:bottom-2">
      <div className="grid gap-0.5 sm:me-auto">
        {missing && <p className="text-muted">{missing}</p>}
        {note}
      </div>
      <Button variant="ghost" disabled={pending !== null} onClick={onDiscard}>
        Discard
      </Button>
      <Button disabled={isDisabled('pause')} loading={pending === 'pause'} onClick={() => onSubmit('pause')}>
        Save and Pause
      </Button>
      {launch && (
        <p id="launch-note" className="text-center text-muted sm:order-last sm:basis-full sm:text-end" data-numeric>
          {launch}
        </p>
      )}
      <Button
        variant="primary"
        aria-describedby={launch ? 'launch-note' : undefined}
        disabled={isDisabled('launch')}
        loading={pending === 'launch'}
        onClick={() => onSubmit('launch')}
      >
        Launch Campaign
      </Button>
    </div>
  )
}

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
