import { useQuery } from '@tanstack/react-query'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Conversation, Note } from '@x-automated/contract/outreach/conversations'
import type { ReactNode } from 'react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { Avatar } from '../../../ui/avatar'
import { SkeletonText } from '../../../ui/skeleton'
import { FactList, LeadFollowers } from '../../leads/leads/lead-parts'
import { Tags } from '../../leads/leads/lead-sheet'
import { basisLabels } from '../../leads/leads/leads-url'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { XHandle } from '../../platform/x-account/x-handle'
import { LabelKeypad } from './label-keypad'
import { Notes } from './notes'
import { useMembers } from './use-inbox'

interface LeadCardProps {
  conversation: Conversation
  campaign: Pick<Campaign, 'id' | 'name'> | undefined
  /** Undefined while loading. */
  notes: readonly Note[] | undefined
  onLabel: (label: ReplyLabel) => void
}

/** The lead, the label of their reply, and what we know about them. */
export function LeadCard({ conversation, campaign, notes, onLabel }: LeadCardProps) {
  const { lead, xAccountId, assigneeId } = conversation
  const detail = useQuery(api.leads.find.queryOptions({ input: { id: lead.id } })).data
  const accounts = useAccounts().data?.accounts ?? []
  const { nameOf } = useMembers()
  const name = lead.name || `@${lead.twitterHandle}`
  const custom = Object.entries(detail?.metadata ?? {}).map(([key, value]): [string, ReactNode] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const facts: [string, ReactNode][] = detail
    ? [
        ['Followers', <LeadFollowers key="f" followerCount={detail.followerCount} />],
        ['Found via', detail.sourceProfile && <XHandle key="s" handle={detail.sourceProfile} />],
        [
          'Campaign',
          campaign && (
            <Link key="c" to={generatePath(paths.campaign, { campaignId: campaign.id })} className="hover:underline">
              <bdi>{campaign.name}</bdi>
            </Link>
          ),
        ],
        ['X account', accounts.length > 1 && `@${accounts.find(({ id }) => id === xAccountId)?.handle ?? ''}`],
        ...custom,
        ['Basis', basisLabels[detail.basis]],
        ['Assigned', nameOf(assigneeId)],
      ]
    : []
  return (
    <div className="grid gap-6">
      <div className="grid gap-3">
        <div className="flex items-center gap-3">
          <Avatar name={name} src={lead.pictureUrl} size="lg" />
          <div className="grid min-w-0">
            <Link
              to={`${paths.leads}?lead=${lead.id}`}
              className="truncate rounded-sm text-sm font-strong hover:underline"
            >
              <bdi className="block w-fit max-w-full truncate">{name}</bdi>
            </Link>
            <XHandle handle={lead.twitterHandle} className="w-fit max-w-full truncate text-muted" />
          </div>
        </div>
        {detail?.bio?.trim() && <bdi className="wrap-anywhere">{detail.bio.trim()}</bdi>}
      </div>
      <LabelKeypad conversation={conversation} onLabel={onLabel} />
      {detail ? (
        <>
          <FactList facts={facts} className="gap-y-1 text-xs" />
          <Tags lead={detail} />
          {notes && <Notes conversationId={conversation.id} notes={notes} />}
        </>
      ) : (
        <SkeletonText lines={5} />
      )}
    </div>
  )
}
