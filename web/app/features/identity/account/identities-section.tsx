import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Identity } from '@x-automated/contract/identity/identities'
import { KeyRound, Mail, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, client } from '../../../api'
import { BrandIcon } from '../../../ui/brand-icon'
import { Button } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { DateTime } from '../../../ui/date-time'
import { SkeletonButton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { usePageRestored } from '../../../ui/use-page-restored'
import { requireCodeChallenge } from '../auth/pkce'
import { showFailure, useReauthentication } from '../auth/reauthentication'
import { LinkSingleSignOn } from '../sso/link-single-sign-on'
import { providerName } from './link-problems'
import { Row, Rows, RowsSkeleton } from './rows'
import { Section } from './section'
import { useLinkReturn } from './use-link-return'

/** Password, email link and linked accounts. */
export function IdentitiesSection() {
  useLinkReturn()
  const user = useQuery(api.account.findUser.queryOptions())
  const identities = useQuery(api.identities.list.queryOptions())
  const providers = useQuery({ ...api.identities.listProviders.queryOptions(), staleTime: Number.POSITIVE_INFINITY })
  const linked = identities.data?.identities ?? []
  const offersGoogle = providers.data?.providers.includes('google')
  return (
    <Section
      id="sign-in"
      query={identities}
      skeleton={<RowsSkeleton rows={2} />}
      description="Ways you can sign in. Remove any you don't use."
      actions={
        <>
          {providers.isPending && <SkeletonButton size="sm" />}
          {offersGoogle && <LinkGoogle another={linked.some(({ provider }) => provider === 'google')} />}
          <LinkSingleSignOn />
        </>
      }
    >
      <Rows label="Ways to sign in">
        <Row
          icon={<KeyRound aria-hidden />}
          title="Password"
          detail={user.data && (user.data.hasPassword ? 'With your email address' : 'Not set')}
        />
        {linked.map((identity) => (
          <IdentityRow key={identity.id} identity={identity} />
        ))}
        <Row icon={<Mail aria-hidden />} title="Email link" detail="Lets you set a new password if you forget yours" />
      </Rows>
    </Section>
  )
}

function IdentityRow({ identity: { id, provider, email, createdAt } }: { identity: Identity }) {
  const queries = useQueryClient()
  const withReauthentication = useReauthentication()
  const confirm = useConfirm()
  const name = providerName(provider)
  const unlink = useMutation({
    mutationFn: () => withReauthentication(() => client.identities.unlink({ id })),
    onSuccess() {
      toast.success(`${name} unlinked.`)
      void queries.invalidateQueries({ queryKey: api.sso.key() })
      return queries.invalidateQueries({ queryKey: api.identities.key() })
    },
    onError: (error) => showFailure(error),
  })
  const ask = async () => {
    const yes = await confirm({
      title: `Unlink ${name}?`,
      body: `${email ?? 'This account'} will no longer sign you in. You can link it again.`,
      confirm: 'Unlink',
      danger: true,
    })
    if (yes) unlink.mutate()
  }
  return (
    <Row
      icon={iconOf(provider)}
      title={name}
      detail={
        <>
          {email && <span className="break-all">{email} · </span>}
          Linked <DateTime value={createdAt} precision="day" />
        </>
      }
      action={
        <Button size="sm" loading={unlink.isPending} onClick={ask}>
          Unlink<span className="sr-only"> {name}</span>
        </Button>
      }
    />
  )
}

function iconOf(provider: string): ReactNode {
  return provider === 'google' ? <BrandIcon brand="google" /> : <ShieldCheck aria-hidden />
}

function LinkGoogle({ another }: { another: boolean }) {
  const withReauthentication = useReauthentication()
  const begin = useMutation({
    async mutationFn() {
      const codeChallenge = await requireCodeChallenge('link')
      return withReauthentication(() => client.identities.authorizeLink({ provider: 'google', codeChallenge }))
    },
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => showFailure(error, 'Failed to sign in with Google. Please try again.'),
  })
  usePageRestored(begin.reset)
  return (
    <Button
      size="sm"
      icon={<BrandIcon brand="google" />}
      loading={begin.isPending || begin.isSuccess}
      onClick={() => begin.mutate()}
    >
      {another ? 'Link another Google account' : 'Link Google'}
    </Button>
  )
}
