import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { generatePath, useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { Form } from '../../../ui/form'
import { Kbd } from '../../../ui/kbd'
import { isModPressed, modKey } from '../../../ui/mod-key'
import { PageHeader } from '../../../ui/page-header'
import { UsageLock } from '../../platform/billing/plan-lock'
import { BUILDER_HEADER, BuilderActions, BuilderColumns } from '../sequences/builder-layout'
import { CampaignFields } from './campaign-fields'
import { type CampaignFormValues, emptyDraft } from './campaign-form-rules'
import { DraftConflict, DraftNote } from './draft-note'
import { MessagePreview } from './message-preview'
import { PreflightPanel } from './preflight-panel'
import { useRealSend } from './real-send'
import { LAUNCH_NOTE, SaveButtons } from './save-buttons'
import { useCampaignForm } from './use-campaign-form'

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
      name={null}
      aria-label="New campaign"
      className={`gap-6 ${BUILDER_HEADER}`}
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
      <PageHeader title={draft.name.trim() || 'New campaign'} description={<DraftNote status={saved.status} />} />
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
              <p id={LAUNCH_NOTE} className="font-strong" data-numeric>
                {launch}
              </p>
            )}
            {state.missing && <p className="text-muted">{state.missing}</p>}
            <UsageLock what="dms" />
          </>
        }
      />
      <BuilderActions>
        <SaveButtons state={state} hint={<Kbd>{`${modKey()}↵`}</Kbd>} />
      </BuilderActions>
    </Form>
  )
}
