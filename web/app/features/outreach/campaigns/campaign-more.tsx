import { useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { BookmarkPlus, Copy, Ellipsis, Mail, Pencil, Share2 } from 'lucide-react'
import { generatePath, useNavigate } from 'react-router'
import { api, client, errorText } from '../../../api'
import { paths } from '../../../paths'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { useDialogs } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { draftOf, type SequenceDraft } from '../sequences/sequence-draft'
import { SaveTemplateDialog } from '../templates/save-template-dialog'
import { invalidateCampaignNames } from './all-campaigns'
import type { CampaignActions } from './campaign-actions'
import { RealSendItem, realSendOf } from './campaign-buttons'
import { EditCampaignDialog, isEditable } from './edit-campaign-dialog'

interface CampaignMoreProps {
  campaign: Campaign
  actions: CampaignActions
  /** Undefined if the user may not share reports. */
  onShareReport?: (() => void) | undefined
}

/** The More menu of a campaign's page: edit, duplicate, save as template, share, email a test. */
export function CampaignMore({ campaign, actions, onShareReport }: CampaignMoreProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const mayChange = useIsOffered('member')
  // The campaign as of when the dialog opened, so that changes by others don't overwrite typed
  // text.
  const edit = useDialogs<Campaign>()
  const duplicate = useAction(() => client.campaigns.duplicate({ id: campaign.id }), {
    done: ({ name }) => `Draft “${name}” created.`,
    onSuccess({ id }) {
      invalidateCampaignNames(queries)
      return navigate(generatePath(paths.campaign, { campaignId: id }))
    },
    onError: (error) => toast.error(`Failed to duplicate campaign: ${errorText(error)}`),
    refetches: [api.campaigns],
  })
  const template = useDialogs<SequenceDraft>()
  const openTemplate = useAction(() => client.sequences.find({ id: campaign.id }), {
    onSuccess: (sequence) => template.show(draftOf(sequence)),
    failed: 'Failed to load the messages. Please try again.',
  })
  const test = useAction(() => client.campaigns.sendTest({ id: campaign.id }), {
    done: ({ sentTo }) => `Test sent to ${sentTo}.`,
    onError: (error) => toast.error(`Failed to send the test: ${errorText(error)}`),
  })
  if (!mayChange) return null
  return (
    <>
      <Menu trigger={<IconButton icon={<Ellipsis />} label="More" variant="secondary" />}>
        <MenuItem icon={<Pencil />} disabled={!isEditable(campaign)} onSelect={() => edit.show(campaign)}>
          Edit
        </MenuItem>
        <MenuItem icon={<Copy />} disabled={duplicate.isPending} onSelect={() => duplicate.run()}>
          Duplicate
        </MenuItem>
        <MenuItem icon={<BookmarkPlus />} disabled={openTemplate.isPending} onSelect={() => openTemplate.run()}>
          Save as template
        </MenuItem>
        {onShareReport && (
          <MenuItem icon={<Share2 />} onSelect={onShareReport}>
            Share report
          </MenuItem>
        )}
        <MenuItem icon={<Mail />} disabled={test.isPending} onSelect={() => test.run()}>
          Email me a test
        </MenuItem>
        {campaign.status === 'active' && <MenuNote>Pause the campaign to edit it.</MenuNote>}
        {realSendOf(campaign) === 'later' && (
          <>
            <MenuSeparator />
            <RealSendItem campaign={campaign} actions={actions} />
          </>
        )}
      </Menu>
      {edit.render((before, props) => (
        <EditCampaignDialog campaign={before} {...props} />
      ))}
      {template.render((draft, props) => (
        <SaveTemplateDialog draft={draft} name={campaign.name} {...props} />
      ))}
    </>
  )
}
