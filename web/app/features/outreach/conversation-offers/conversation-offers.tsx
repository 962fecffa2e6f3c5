import { useQuery } from '@tanstack/react-query'
import type { ConversationOffer } from '@x-automated/contract/outreach/conversation-offers'
import { UserPlus, X } from 'lucide-react'
import { api, client } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { XHandle } from '../../platform/x-account/x-handle'
import { showDone } from '../inbox/use-inbox'

const REFRESH_MS = 60_000

const offered = () => api.conversationOffers.list.queryOptions({ input: {}, refetchInterval: REFRESH_MS })

/** Whether the offers have loaded. Anything below them waits for that, so that nothing shifts. */
export function useConversationOffersLoaded(): boolean {
  return !isInitialLoading(useQuery(offered()))
}

/** People who wrote first and are not leads, to add or decline. Empty if there are none. */
export function ConversationOffers() {
  const query = useQuery(offered())
  const offers = query.data?.offers ?? []
  if (offers.length === 0) return null
  return (
    <ul aria-label="People who wrote first" className="grid divide-y divide-line border-b border-line">
      {offers.map((offer) => (
        <Offer key={offer.id} offer={offer} />
      ))}
    </ul>
  )
}

function Offer({ offer: { id, twitterHandle, at } }: { offer: ConversationOffer }) {
  const refetches = [api.conversationOffers, api.leads]
  const accept = useAction(() => client.conversationOffers.accept({ id }), {
    done: `@${twitterHandle} is a lead now. Their next message opens a conversation.`,
    failed: 'Failed to add the lead. Please try again.',
    refetches,
  })
  const restore = useAction(() => client.conversationOffers.restore({ id }), {
    failed: 'Failed to undo. Please try again.',
    refetches,
  })
  const decline = useAction(() => client.conversationOffers.remove({ id }), {
    onSuccess: () => showDone(`@${twitterHandle} declined`, restore.run),
    failed: 'Failed to decline. Please try again.',
    refetches,
  })
  const isBusy = accept.isPending || decline.isPending
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <p className="min-w-0 flex-1">
        <XHandle handle={twitterHandle} className="font-strong wrap-anywhere" /> wrote to you{' '}
        <DateTime value={at} className="text-muted" />
      </p>
      <Button
        size="sm"
        icon={<UserPlus aria-hidden />}
        aria-label={`Add as lead: @${twitterHandle}`}
        loading={accept.isPending}
        disabled={isBusy}
        onClick={() => accept.run()}
      >
        Add as lead
      </Button>
      <IconButton
        size="sm"
        icon={<X />}
        label={`Decline @${twitterHandle}`}
        disabled={isBusy}
        onClick={() => decline.run()}
      />
    </li>
  )
}
