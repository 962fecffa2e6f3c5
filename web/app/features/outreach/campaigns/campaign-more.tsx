import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Copy, Ellipsis, Mail, Pencil } from 'lucide-react'
import { useState } from 'react'
import { generatePath, useNavigate } from 'react-router'
import { api, client, errorText } from '../../../api'
import { paths } from '../../../paths'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuNote } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { useIsOffered } from '../../identity/people/use-role'
import { invalidateCampaignNames } from './all-campaigns'
import { EditCampaignDialog, isEditable } from './edit-campaign-dialog'

/** The More menu of a campaign's page: edit, duplicate, email a test. */
export function CampaignMore({ campaign }: { campaign: Campaign }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const mayChange = useIsOffered('member')
  const [editing, setEditing] = useState(false)
  const duplicate = useMutation({
    mutationFn: () => client.campaigns.duplicate({ id: campaign.id }),
    async onSuccess(copy) {
      invalidateCampaignNames(queries)
      toast.success(`Draft “${copy.name}” created.`)
      void queries.invalidateQueries({ queryKey: api.campaigns.key() })
      await navigate(generatePath(paths.campaign, { campaignId: copy.id }))
    },
    onError: (error) => toast.error(`Failed to duplicate campaign: ${errorText(error)}`),
  })
  const test = useMutation({
    mutationFn: () => client.campaigns.sendTest({ id: campaign.id }),
    onSuccess: ({ sentTo }) => toast.success(`Test sent to ${sentTo}.`),
    onError: (error) => toast.error(`Failed to send the test: ${errorText(error)}`),
  })
  if (!mayChange) return null
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More" variant="secondary">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden />} disabled={!isEditable(campaign)} onSelect={() => setEditing(true)}>
          Edit
        </MenuItem>
        <MenuItem icon={<Copy aria-hidden />} disabled={duplicate.isPending} onSelect={() => duplicate.mutate()}>
          Duplicate
        </MenuItem>
        <MenuItem icon={<Mail aria-hidden />} disabled={test.isPending} onSelect={() => test.mutate()}>
          Email me a test
        </MenuItem>
        {campaign.status === 'active' && <MenuNote>Pause the campaign to edit it.</MenuNote>}
      </Menu>
      <EditCampaignDialog campaign={campaign} open={editing} onClose={() => setEditing(false)} />
    </>
  )
}
