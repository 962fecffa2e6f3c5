import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useMemo } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Card } from '../../../ui/card'
import { SkeletonText } from '../../../ui/skeleton'
import { MessagePreview, PreviewSkeleton } from '../campaigns/message-preview'
import { usesOpener } from '../writer/opener-variable'
import { OpenersNotice } from '../writer/openers-notice'
import { conversationOf } from './conversation'
import { messagesOf } from './lint'
import { LaunchLimit } from './plan-locks'
import { draftOf, type SequenceDraft } from './sequence-draft'
import { CONDITIONS, delayText, stepName } from './step-text'

/** A campaign's messages, with a preview for each lead. */
export function MessagesCard({ campaign }: { campaign: Campaign }) {
  const { id, status, leadListId } = campaign
  const sequence = useQuery(api.sequences.find.queryOptions({ input: { id } }))
  const draft = useMemo(() => sequence.data && draftOf(sequence.data), [sequence.data])
  const isOver = status === 'completed' || status === 'archived'
  const included = [
    ...(campaign.allowRepeat ? ['Includes leads contacted by other campaigns'] : []),
    ...(campaign.allowReplied ? ['Includes people who replied to you'] : []),
  ]
  return (
    <Card title="Messages">
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <div className="grid gap-4">
          {draft ? (
            <StepTexts draft={draft} />
          ) : sequence.isError ? (
            <QueryError query={sequence} />
          ) : (
            <SkeletonText lines={3} />
          )}
          {!isOver && draft && messagesOf(draft).some(({ text }) => usesOpener(text)) && (
            <OpenersNotice campaign={campaign} />
          )}
          {draft && <LaunchLimit campaign={campaign} draft={draft} />}
          {included.length > 0 && (
            <ul className="grid gap-1 text-muted">
              {included.map((label) => (
                <li key={label}>{label}</li>
              ))}
            </ul>
          )}
        </div>
        {!isOver &&
          leadListId &&
          (draft ? (
            <MessagePreview
              messages={conversationOf(draft)}
              listId={leadListId}
              xAccountId={campaign.xAccountId}
              campaignId={id}
            />
          ) : (
            !sequence.isError && <PreviewSkeleton />
          ))}
      </div>
    </Card>
  )
}

/** The texts of all steps and variants. A single text has no heading. */
export function StepTexts({ draft: { steps, reengagement } }: { draft: SequenceDraft }) {
  const parts = [
    ...steps.map(({ key, delay, condition, variants }, index) => ({
      key,
      title: stepName(index, steps.length),
      when: index === 0 ? '' : `after ${delayText(delay)}, if ${CONDITIONS[condition]}`,
      variants,
    })),
    ...(reengagement
      ? [
          {
            key: reengagement.key,
            title: 'Re-engagement',
            when: `after ${delayText({ amount: reengagement.afterDays, unit: 'days' })}`,
            variants: [{ ...reengagement, name: 'A' }],
          },
        ]
      : []),
  ]
  return (
    <ol className="grid gap-4">
      {parts.map(({ key, title, when, variants }) => (
        <li key={key} className="grid gap-1">
          {parts.length > 1 && (
            <p>
              <span className="font-strong">{title}</span> <span className="text-muted">{when}</span>
            </p>
          )}
          {variants.map((variant) => (
            <p key={variant.key} className="flex gap-2">
              {variants.length > 1 && <span className="font-strong">{variant.name}</span>}
              <bdi className="whitespace-pre-wrap wrap-anywhere">{variant.messageTemplate}</bdi>
            </p>
          ))}
        </li>
      ))}
    </ol>
  )
}
