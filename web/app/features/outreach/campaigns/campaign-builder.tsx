import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { generatePath, useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { Form } from '../../../ui/form'
import { Kbd } from '../../../ui/kbd'
import { isModPressed, modKey } from '../../../ui/mod-key'
import { PageHeader } from '../../../ui/page-header'
import { UsageNotice } from '../../platform/billing/usage-notice'
import { BuilderActions, BuilderColumns } from '../sequences/builder-layout'
import { CampaignFields } from './campaign-fields'
import { type CampaignFormValues, emptyDraft } from './campaign-form-rules'
import { DraftConflict, DraftNote } from './draft-note'
import { MessagePreview } from './message-preview'
import { PreflightPanel } from './preflight-panel'
import { useRealSend } from './real-send'
import { type CampaignFormState, useCampaignForm } from './use-campaign-form'
import type { SaveMode } from './use-create-campaign'

/** Writes a new campaign on a page of its own: messages, preview and pre-flight next to each other. */
export function CampaignBuilder() {
  const navigate = useNavigate()
  const form = useForm<CampaignFormValues>({ defaultValues: emptyDraft })
  const [created, setCreated] = useState<Campaign | null>(null)
  const state = useCampaignForm({ form, realSend: useRealSend(undefined), onCreated: setCreated })
  // By then the form is empty, so that leaving the page does not save it as a draft again.
  useEffect(() => {
    if (created) void navigate(generatePath(paths.campaign, { campaignId: created.id }), { replace: true })
  }, [created, navigate])
  const { draft, saved, launch } = state
  return (
    <Form
      aria-label="New campaign"
      className="gap-6"
      // Pressing Enter in a field must not launch the campaign.
      onSubmit={() => state.submit('pause')}
      onKeyDown={(event) => {
        // Keys that are typed in a dialog arrive here, too.
        const isInside = event.currentTarget.contains(event.target as Node)
        if (event.key !== 'Enter' || !isModPressed(event) || !isInside || event.repeat || !state.isReady) return
        event.preventDefault()
        state.submit('launch')
      }}
    >
      <PageHeader
        title={draft.name.trim() || 'New campaign'}
        description={<DraftNote status={saved.status} />}
        actions={<Actions state={state} />}
      />
      <DraftConflict saved={saved} />
      <BuilderColumns
        messages={<CampaignFields state={state} />}
        preview={
          <MessagePreview
            messages={state.conversation}
            listId={draft.leadListId}
            xAccountId={draft.xAccountId || null}
          />
        }
        outcome={
          <>
            {state.checked === null && (
              <p className="text-muted">Pick a lead list to see who gets your messages, when, and what it costs.</p>
            )}
            <PreflightPanel input={state.checked} preflight={state.preflight} />
            {launch && (
              <p id="launch-note" className="font-strong" data-numeric>
                {launch}
              </p>
            )}
            {state.missing && <p className="text-muted">{state.missing}</p>}
            <UsageNotice what="dms" />
          </>
        }
      />
    </Form>
  )
}

/** Clears, saves or launches the campaign. */
function Actions({ state }: { state: CampaignFormState }) {
  const { isReady, pending, launch, discard, submit } = state
  // While saving, the pressed button stays enabled, so that it keeps the focus.
  const isDisabled = (mode: SaveMode) => !isReady && pending !== mode
  return (
    <BuilderActions>
      <Button
        variant="ghost"
        className="max-md:me-auto"
        icon={<Trash2 className="md:hidden" />}
        disabled={pending !== null}
        onClick={discard}
      >
        <span className="max-md:sr-only">Discard</span>
      </Button>
      <Button disabled={isDisabled('pause')} loading={pending === 'pause'} onClick={() => submit('pause')}>
        Save and Pause
      </Button>
      <Button
        variant="primary"
        aria-describedby={launch ? 'launch-note' : undefined}
        disabled={isDisabled('launch')}
        loading={pending === 'launch'}
        onClick={() => submit('launch')}
      >
        Launch Campaign
        <Kbd>{`${modKey()}↵`}</Kbd>
      </Button>
    </BuilderActions>
  )
}
