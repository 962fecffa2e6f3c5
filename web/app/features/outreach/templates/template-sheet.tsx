import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Template } from '@x-automated/contract/outreach/templates'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { SkeletonText } from '../../../ui/skeleton'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { CampaignStatus } from '../campaigns/campaign-status'
import { StepTexts } from '../sequences/messages-card'
import { draftOfTemplate } from '../sequences/sequence-draft'
import { authorText, rateText } from './template-text'

interface TemplateSheetProps extends ControlledDialogProps {
  template: Template
  /** Undefined for viewers and archived templates. */
  onUse?: (() => void) | undefined
}

/** A template's messages, and the results of its campaigns. */
export function TemplateSheet({ template, onUse, ...dialog }: TemplateSheetProps) {
  const { name, folder, campaignCount, replyRate, positiveRate } = template
  return (
    <Sheet
      {...dialog}
      title={name}
      description={[folder, authorText(template)].filter(Boolean).join(' · ')}
      footer={
        onUse && (
          <Button variant="primary" onClick={onUse}>
            Start a campaign
          </Button>
        )
      }
    >
      <div className="grid gap-6">
        <p className="text-muted" data-numeric>
          {campaignCount === 0
            ? 'No campaign was started from it yet.'
            : `Used in ${formatCount(campaignCount, 'campaign')} · ${rateText(replyRate)} replied · ${rateText(positiveRate)} positive`}
        </p>
        <StepTexts draft={draftOfTemplate(template.steps)} />
        {campaignCount > 0 && <StartedCampaigns templateId={template.id} />}
      </div>
    </Sheet>
  )
}

/** How many campaigns are listed, newest first. */
const CAMPAIGNS_LISTED = 20

/** Campaigns that were started from a template. */
function StartedCampaigns({ templateId }: { templateId: string }) {
  const query = useQuery(
    api.campaigns.list.queryOptions({
      input: { templateId, pageSize: CAMPAIGNS_LISTED },
      placeholderData: keepPreviousData,
    }),
  )
  const { data } = query
  return (
    <section aria-labelledby="started-title" className="grid grid-cols-1 gap-2">
      <h3 id="started-title" className="text-sm">
        Campaigns
      </h3>
      {query.isError && !data ? (
        <QueryError query={query} fallback="Failed to load the campaigns. Please try again." />
      ) : !data ? (
        <SkeletonText lines={2} />
      ) : (
        <ul className="grid grid-cols-1 gap-2">
          {data.campaigns.map((campaign) => (
            <li key={campaign.id} className="flex items-center justify-between gap-3">
              <Link
                className="min-w-0 text-link wrap-anywhere"
                to={generatePath(paths.campaign, { campaignId: campaign.id })}
              >
                <bdi>{campaign.name}</bdi>
              </Link>
              <CampaignStatus campaign={campaign} />
            </li>
          ))}
        </ul>
      )}
      {data && data.total > data.campaigns.length && (
        <p className="text-muted" data-numeric>
          And {formatNumber(data.total - data.campaigns.length)} older.
        </p>
      )}
    </section>
  )
}
