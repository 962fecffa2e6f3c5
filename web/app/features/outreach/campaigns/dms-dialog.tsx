import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useState } from 'react'
import { generatePath } from 'react-router'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { DmsTable } from './dms-table'

/** A campaign's messages in a dialog. */
export function DmsDialog({ campaign, ...dialog }: ControlledDialogProps & { campaign: Campaign }) {
  const [page, setPage] = useState(1)
  return (
    <Dialog
      {...dialog}
      size="wide"
      title={`DMs for: ${campaign.name}`}
      footer={
        <>
          <ButtonLink to={generatePath(paths.campaign, { campaignId: campaign.id })}>Open campaign</ButtonLink>
          <Button onClick={dialog.onClose}>Close</Button>
        </>
      }
    >
      <DmsTable
        campaignId={campaign.id}
        status={null}
        live={campaign.status === 'active'}
        page={page}
        onPage={setPage}
        canRetry={campaign.status !== 'archived'}
        maxHeight="min(30rem, 60dvh)"
      />
    </Dialog>
  )
}
