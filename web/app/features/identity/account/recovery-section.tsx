import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { SkeletonLine } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { RecoveryCodesDialog } from './recovery-codes-dialog'
import { Section } from './section'

/** With fewer codes left, the page suggests new ones. */
const LOW = 3

/** The number of recovery codes left, and a way to replace them. */
export function RecoverySection() {
  const factors = useQuery(api.secondFactors.list.queryOptions())
  const [codes, setCodes] = useState<string[] | null>(null)
  const renew = useAction(() => client.secondFactors.renewRecoveryCodes(), {
    question: {
      title: 'Generate new recovery codes?',
      body: 'Your current codes will stop working.',
      confirm: 'Generate codes',
    },
    onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes),
    refetches: [api.secondFactors],
  })
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
          <Button size="sm" loading={renew.isPending} onClick={() => renew.run()}>
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
