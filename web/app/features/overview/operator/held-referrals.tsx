import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { HeldReferral } from '@x-automated/contract/overview/operator'
import { Check, ShieldCheck, X } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { Table, Td, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { reasonText } from './operator-text'

const PAGE_SIZE = 25
const DELETED = 'Deleted member'
const DECISIONS = [
  { decision: 'release', label: 'Release', Icon: Check },
  { decision: 'refuse', label: 'Reject', Icon: X },
] as const

/** Held referrals, to release or reject. */
export function HeldReferrals() {
  const [page, setPage] = useState(1)
  const held = useQuery(
    api.operator.held.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  const decide = useDecision()
  if (held.isError) return <QueryError query={held} fallback="Failed to load held referrals." />
  if (held.data?.total === 0)
    return (
      <EmptyState icon={<ShieldCheck aria-hidden />} title="No pending decisions">
        Referrals are held when the email is disposable or many people join from one network. If they come from the
        referrer's own network or a domain without a mail server, only rewards are.
      </EmptyState>
    )
  return (
    <div>
      <Table
        label="Held referrals"
        columns={['Referred', 'By', 'Reason', 'Joined', { name: 'Decision', end: true }]}
        stale={held.isPlaceholderData}
      >
        {held.data?.held.map((referral) => (
          <Tr key={referral.memberId}>
            <Td label="Referred" className="wrap-anywhere">
              {referral.email ?? DELETED}
            </Td>
            <Td label="By" className="wrap-anywhere">
              {referral.referrerEmail ?? DELETED}
            </Td>
            <Td label="Reason">
              <Badge tone="warn">{reasonText[referral.reason]}</Badge>
            </Td>
            <Td label="Joined">
              <DateTime value={referral.createdAt} />
            </Td>
            <Td end>
              <div className="flex justify-end gap-2">
                {DECISIONS.map(({ decision, label, Icon }) => (
                  <Button
                    key={decision}
                    size="sm"
                    variant={decision === 'release' ? 'secondary' : 'ghost'}
                    icon={<Icon aria-hidden />}
                    aria-label={`${label} the referral of ${referral.email ?? DELETED}`}
                    disabled={decide.isPending}
                    onClick={() => decide.run({ referral, decision })}
                  >
                    {label}
                  </Button>
                ))}
              </div>
            </Td>
          </Tr>
        ))}
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={held} onChange={setPage} noun="referrals" />
    </div>
  )
}

/** Releases or rejects a referral, with Undo. */
function useDecision() {
  const undo = useAction((memberId: string) => client.operator.undo({ memberId }), {
    onSuccess: () => toast.info('Referral held again'),
    onError: (error) => toast.error(`Failed to undo: ${errorText(error)}`),
    refetches: [api.operator],
  })
  return useAction(
    ({ referral, decision }: { referral: HeldReferral; decision: 'release' | 'refuse' }) =>
      client.operator[decision]({ memberId: referral.memberId }),
    {
      onSuccess: (_, { referral, decision }) =>
        toast.success(decision === 'release' ? 'Referral released' : 'Referral rejected', {
          action: { label: 'Undo', onClick: () => undo.run(referral.memberId) },
        }),
      onError: (error) => toast.error(`Failed to save the decision: ${errorText(error)}`),
      refetches: [api.operator],
    },
  )
}
