import { ChevronUp, Maximize2, Pencil } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useSearchParams } from 'react-router'
import { localStorage } from '../../../browser-storage'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Form } from '../../../ui/form'
import { UsageLock } from '../../platform/billing/plan-lock'
import { CampaignFields } from './campaign-fields'
import { type CampaignFormValues, emptyDraft, heldText } from './campaign-form-rules'
import { DraftConflict, DraftNote } from './draft-note'
import { LIST_PARAM, without } from './list-field'
import { MessagePreview } from './message-preview'
import { PreflightPanel } from './preflight-panel'
import type { RealSend } from './real-send'
import { LAUNCH_NOTE, SaveButtons } from './save-buttons'
import { type CampaignFormState, useCampaignForm } from './use-campaign-form'

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
    setParams((before) => without(before, NEW_PARAM), { replace: true, preventScrollReset: true })
    show()
  })
  useEffect(() => {
    if (isAsked) showForm()
  }, [isAsked])
}

/** Creates a campaign, paused or launched. Collapsing the form does not lose what was entered. */
export function CampaignForm({ realSend }: { realSend: RealSend }) {
  const [isFolded, setFolded] = useState(isFormFolded)
  const form = useForm<CampaignFormValues>({ defaultValues: emptyDraft })
  useRequestedForm(() => {
    setFolded(false)
    requestAnimationFrame(() => form.setFocus('name'))
  })
  const state = useCampaignForm({ form, realSend, onTemplate: () => setFolded(false) })
  const { draft, sequence, saved } = state
  const foldButton = <FoldButton isFolded={isFolded} disabled={state.isBusy} onFold={setFolded} />
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
      actions={
        <span className="flex items-center gap-1">
          <ButtonLink size="sm" variant="ghost" to={paths.newCampaign} icon={<Maximize2 />}>
            <span className="max-sm:sr-only">Open in builder</span>
          </ButtonLink>
          {foldButton}
        </span>
      }
    >
      <Form
        name={null}
        className="@container grid-cols-1 gap-5"
        // Pressing Enter in a field must not launch the campaign.
        onSubmit={() => state.submit('pause')}
      >
        <div className="grid gap-6 @min-[48rem]:grid-cols-[minmax(0,1fr)_18rem] @min-[48rem]:gap-8 @min-[68rem]:grid-cols-[minmax(0,1fr)_33.5rem] @min-[68rem]:gap-6">
          <CampaignFields state={state} />
          <div className="grid min-w-0 content-start items-start gap-6 @min-[68rem]:grid-cols-[17rem_minmax(0,1fr)]">
            <div className="@min-[68rem]:sticky @min-[68rem]:top-[calc(var(--spacing-header)+1rem)]">
              <MessagePreview
                messages={state.conversation}
                listId={draft.leadListId}
                xAccountId={draft.xAccountId || null}
              />
            </div>
            <div className="grid gap-4">
              <PreflightPanel input={state.checked} preflight={state.preflight} />
              <UsageLock what="dms" />
            </div>
          </div>
        </div>
        <DraftConflict saved={saved} />
        <FormFooter state={state} />
      </Form>
    </Card>
  )
}

interface FoldButtonProps {
  isFolded: boolean
  disabled: boolean
  onFold: (isFolded: boolean) => void
}

/** Collapses and expands the form. The browser remembers the choice. */
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

function FormFooter({ state }: { state: CampaignFormState }) {
  const { saved, missing, launch } = state
  return (
    <div className="-mx-5 -mb-5 flex flex-col-reverse gap-2 rounded-b-lg border-t border-line bg-surface px-5 py-4 sm:flex-row sm:flex-wrap sm:items-center sm:justify-end md:sticky md:bottom-2">
      <div className="grid gap-0.5 sm:me-auto">
        {missing && <p className="text-muted">{missing}</p>}
        <DraftNote status={saved.status} />
      </div>
      <SaveButtons
        state={state}
        note={
          launch && (
            <p id={LAUNCH_NOTE} className="text-center text-muted sm:order-last sm:basis-full sm:text-end" data-numeric>
              {launch}
            </p>
          )
        }
      />
    </div>
  )
}
