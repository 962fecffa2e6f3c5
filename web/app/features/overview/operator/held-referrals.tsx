import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
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
import { SkeletonRows } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { reasonText } from './operator-text'

const PAGE_SIZE = 25
const DELETED = 'Deleted member'

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
        Referrals are held when the email is disposable or many people join from one network.
      </EmptyState>
    )
  return (
    <div>
      <Table label="Held referrals" stale={held.isPlaceholderData}>
        <thead>
          <tr>
            <Th>Referred</Th>
            <Th>By</Th>
            <Th>Reason</Th>
            <Th>Joined</Th>
            <Th end>Decision</Th>
          </tr>
        </thead>
        <tbody>
          {held.data ? (
            held.data.held.map((referral) => (
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
                    <Button
                      size="sm"
                      icon={<Check aria-hidden />}
                      aria-label={`Release the referral of ${referral.email ?? DELETED}`}
                      disabled={decide.isPending}
                      onClick={() => decide.mutate({ referral, decision: 'release' })}
                    >
                      Release
                    </Button>
                    <Button
                      size="sm"
                      variant="ghost"
                      icon={<X aria-hidden />}
                      aria-label={`Reject the referral of ${referral.email ?? DELETED}`}
                      disabled={decide.isPending}
                      onClick={() => decide.mutate({ referral, decision: 'refuse' })}
                    >
                      Reject
                    </Button>
                  </div>
                </Td>
              </Tr>
            ))
          ) : (
            <SkeletonRows columns={5} />
          )}
        </tbody>
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={held} onChange={setPage} noun="referrals" />
    </div>
  )
}

/** Releases or rejects a referral, with undo. */
function useDecision() {
  const queries = useQueryClient()
  const again = () => queries.invalidateQueries({ queryKey: api.operator.key() })
  const undo = useMutation({
    mutationFn: (memberId: string) => client.operator.undo({ memberId }),
    onSuccess: () => toast.info('Referral held again'),
    onError: (error) => toast.error(`Failed to undo: ${errorText(error)}`),
    onSettled: again,
  })
  return useMutation({
    mutationFn: ({ referral, decision }: { referral: HeldReferral; decision: 'release' | 'refuse' }) =>
      client.operator[decision]({ memberId: referral.memberId }),
    onSuccess: (_, { referral, decision }) =>
      toast.success(decision === 'release' ? 'Referral released' : 'Referral rejected', {
        action: { label: 'Undo', onClick: () => undo.mutate(referral.memberId) },
      }),
    onError: (error) => toast.error(`Failed to decide: ${errorText(error)}`),
    onSettled: again,
  })
}
