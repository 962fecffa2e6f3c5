import { useMutation } from '@tanstack/react-query'
import type { ImportResult } from '@x-automated/contract/leads/leads'
import type { Conversation, Message } from '@x-automated/contract/outreach/conversations'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { signedFetch } from '../../../signed-fetch'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useRefresh } from '../../../use-refresh'
import { useAccounts } from '../../platform/x-account/use-accounts'
import { namedHandles } from './inbox-text'

/** Imports a person by handle. @returns why they cannot be a lead, or null if they are one now */
export async function addLead(handle: string): Promise<string | null> {
  const response = await signedFetch('/api/leads/import', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `twitter_handle\n${handle}`,
  })
  const [rejected] = ((await response.json()) as ImportResult).rejected
  return rejected ? `@${handle} ${rejected.problem}.` : null
}

interface ReferralOfferProps {
  conversation: Conversation
  /** Newest first. */
  messages: readonly Message[]
}

/** Offers to add the people that a referral mentions as leads. */
export function ReferralOffer({ conversation: { label, lead }, messages }: ReferralOfferProps) {
  const accounts = useAccounts().data?.accounts ?? []
  const refresh = useRefresh()
  const [added, setAdded] = useState<readonly string[]>([])
  const add = useMutation({
    mutationFn: addLead,
    onSuccess: (problem, handle) => {
      if (problem === null) setAdded((before) => [...before, handle])
      return refresh(api.leads)
    },
  })
  if (label !== 'referral') return null
  const text = messages.find((message) => !message.isOurs)?.text ?? ''
  const named = namedHandles(text, [lead.twitterHandle, ...accounts.map(({ handle }) => handle)]).slice(0, 3)
  const problem = add.isError ? errorText(add.error, 'Failed to add the lead. Please try again.') : add.data
  return named.map((handle) => (
    <Callout
      key={handle}
      action={
        !added.includes(handle) && (
          <Button size="sm" loading={add.isPending && add.variables === handle} onClick={() => add.mutate(handle)}>
            Add as lead
          </Button>
        )
      }
    >
      {added.includes(handle) ? `@${handle} is a lead now.` : `They named @${handle}. Add this person as a lead?`}
      {problem && add.variables === handle && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </Callout>
  ))
}
