import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useConfirm } from '../../../ui/confirm'
import { SkeletonLine } from '../../../ui/skeleton'
import { showFailure, useReauthentication } from '../auth/reauthentication'
import { RecoveryCodesDialog } from './recovery-codes-dialog'
import { Section } from './section'

/** Below this number the page suggests new codes. */
const LOW = 3

/** The number of recovery codes left, and a way to replace them. */
export function RecoverySection() {
  const queries = useQueryClient()
  const withReauthentication = useReauthentication()
  const confirm = useConfirm()
  const factors = useQuery(api.secondFactors.list.queryOptions())
  const [codes, setCodes] = useState<string[] | null>(null)
  const renew = useMutation({
    mutationFn: () => withReauthentication(() => client.secondFactors.renewRecoveryCodes()),
    onSuccess({ recoveryCodes }) {
      setCodes(recoveryCodes)
      return queries.invalidateQueries({ queryKey: api.secondFactors.key() })
    },
    onError: (error) => showFailure(error),
  })
  const ask = async () => {
    const yes = await confirm({
      title: 'Generate new recovery codes?',
      body: 'Your current codes will stop working.',
      confirm: 'Generate codes',
    })
    if (yes) renew.mutate()
  }
  const left = factors.data?.recoveryCodesLeft ?? 0
  const hasFactor = (factors.data?.factors.length ?? 0) > 0
  return (
    <Section
      id="recovery"
      query={factors}
      skeleton={<SkeletonLine />}
      description="Use one if you lose your second factor. Each works once."
      actions={
        hasFactor && (
          <Button size="sm" loading={renew.isPending} onClick={ask}>
            Generate new codes
          </Button>
        )
      }
    >
      {!hasFactor ? (
        <p className="text-muted">You'll get them when you add your first authenticator app or passkey.</p>
      ) : left < LOW ? (
        <Callout tone="warn">
          {left === 0 ? 'You have no recovery codes left.' : `Only ${formatCount(left, 'recovery code')} left.`}{' '}
          Generate new ones before you need them.
        </Callout>
      ) : (
        <p data-numeric>
          {formatNumber(left)} of {formatNumber(10)} codes left
        </p>
      )}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Section>
  )
}
