import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, client } from '../../../api'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Skeleton, SkeletonButton } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { type AuthenticatorSetup, EnrolAuthenticatorDialog } from './enrol-authenticator-dialog'
import { FactorRows } from './factor-rows'
import { RecoveryCodesDialog } from './recovery-codes-dialog'
import { Section } from './section'

/** Authenticator apps as second factors. */
export function AuthenticatorSection() {
  const factors = useQuery(api.secondFactors.list.queryOptions())
  const [setup, setSetup] = useState<AuthenticatorSetup | null>(null)
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null)
  const begin = useAction(() => client.secondFactors.enrol({ kind: 'totp' }), {
    onSuccess: ({ id, secret, uri }) => secret && uri && setSetup({ id, secret, uri }),
  })
  const button = useRef<HTMLButtonElement>(null)
  const all = factors.data?.factors ?? []
  const apps = all.filter(({ kind }) => kind === 'totp')
  return (
    <Section
      id="authenticator"
      query={factors}
      skeleton={<Skeleton className="h-6 w-10" />}
      description="Require a code from your phone at login, so a stolen password isn't enough."
      actions={
        factors.isPending ? (
          <SkeletonButton size="sm" className="w-20" />
        ) : (
          factors.data && (
            <Button
              ref={button}
              size="sm"
              variant={apps.length === 0 ? 'primary' : 'secondary'}
              loading={begin.isPending}
              onClick={() => begin.run()}
            >
              {apps.length === 0 ? 'Set up' : 'Add another'}
            </Button>
          )
        )
      }
    >
      {apps.length === 0 ? <Badge>Off</Badge> : <FactorRows label="Authenticator apps" factors={apps} all={all} />}
      <EnrolAuthenticatorDialog
        setup={setup}
        onClose={() => setSetup(null)}
        onDone={(codes) => {
          setSetup(null)
          setRecoveryCodes(codes)
        }}
      />
      <RecoveryCodesDialog
        codes={recoveryCodes}
        onClose={() => setRecoveryCodes(null)}
        returnsTo={() => button.current}
      />
    </Section>
  )
}
