import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { generatePath } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { messagesOf } from '../sequences/lint'
import { draftOf } from '../sequences/sequence-draft'
import { usesOpener } from './opener-variable'

/** Warns if none of a campaign's messages contains an opener. */
export function OpenerUse({ campaign: { id, status } }: { campaign: Campaign }) {
  const sequence = useQuery(api.sequences.find.queryOptions({ input: { id } })).data
  if (!sequence || messagesOf(draftOf(sequence)).some(({ text }) => usesOpener(text))) return null
  const isOver = status === 'completed' || status === 'archived'
  return (
    <Callout
      title="No message uses openers"
      action={
        !isOver && (
          <ButtonLink size="sm" to={generatePath(paths.editCampaign, { campaignId: id })}>
            Edit messages
          </ButtonLink>
        )
      }
    >
      Insert <code>{'{ai_opener|…}'}</code> where the sentence belongs, with a fallback for people without one.
    </Callout>
  )
}
