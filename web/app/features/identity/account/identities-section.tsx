import { useQuery } from '@tanstack/react-query'
import type { Identity } from '@x-automated/contract/identity/identities'
import { KeyRound, Mail, ShieldCheck } from 'lucide-react'
import { api, client } from '../../../api'
import { BrandIcon } from '../../../ui/brand-icon'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { SkeletonButton } from '../../../ui/skeleton'
import { useAction, useRedirect } from '../../../use-action'
import { requireCodeChallenge } from '../auth/pkce'
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
  const name = providerName(provider)
  const unlink = useAction(() => client.identities.unlink({ id }), {
    question: {
      title: `Unlink ${name}?`,
      body: `${email ?? 'This account'} will no longer sign you in. You can link it again.`,
      confirm: 'Unlink',
      danger: true,
    },
    done: `${name} unlinked.`,
    refetches: [api.identities, api.sso],
  })
  return (
    <Row
      icon={provider === 'google' ? <BrandIcon brand="google" /> : <ShieldCheck aria-hidden />}
      title={name}
      detail={
        <>
          {email && <span className="break-all">{email} · </span>}
          Linked <DateTime value={createdAt} precision="day" />
        </>
      }
      action={
        <Button size="sm" loading={unlink.isPending} onClick={() => unlink.run()}>
          Unlink<span className="sr-only"> {name}</span>
        </Button>
      }
    />
  )
}

function LinkGoogle({ another }: { another: boolean }) {
  const begin = useRedirect(
    async () =>
      client.identities.authorizeLink({ provider: 'google', codeChallenge: await requireCodeChallenge('link') }),
    'Failed to sign in with Google. Please try again.',
  )
  return (
    <Button size="sm" icon={<BrandIcon brand="google" />} loading={begin.isLeaving} onClick={() => begin.run()}>
      {another ? 'Link another Google account' : 'Link Google'}
    </Button>
  )
}
