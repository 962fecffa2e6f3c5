import { useQuery } from '@tanstack/react-query'
import { pluralize } from '@x-automated/contract/format'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Skeleton, SkeletonText } from '../../../ui/skeleton'
import { ReauthProvider } from '../auth/reauth-provider'
import { isAtLeast } from '../people/use-role'
import { ConnectionCard } from './connection-card'
import { DomainsCard } from './domains-card'
import { ServiceProviderCard } from './service-provider-card'

/** The workspace's single sign-on, in setup order. Only owners manage the provider. */
export function SingleSignOnTab() {
  const me = useQuery(api.auth.me.queryOptions())
  const role = me.data?.workspace.role
  const mayManage = role !== undefined && isAtLeast(role, 'admin')
  const sso = useQuery({ ...api.sso.find.queryOptions(), enabled: mayManage })
  if (role && !mayManage) {
    return (
      <Callout title="Only the owner and admins can set up single sign-on">
        Once it's set up, link it on your account page.
      </Callout>
    )
  }
  const failed = me.isError ? me : sso.isError ? sso : null
  if (failed) {
    return <QueryError query={failed} fallback="Failed to load single sign-on. Please try again." />
  }
  if (!sso.data) {
    return (
      <div className="grid gap-6">
        <Skeleton className="h-22 rounded-lg" />
        {['1. Add us to your identity provider', '2. Connect your identity provider', '3. Verify your domains'].map(
          (title) => (
            <Card key={title} title={title}>
              <SkeletonText lines={8} />
            </Card>
          ),
        )}
      </div>
    )
  }
  const { connection, domains, serviceProvider } = sso.data
  return (
    <div className="grid grid-cols-1 gap-6">
      <State isConnected={connection !== null} verifiedCount={domains.filter(({ verifiedAt }) => verifiedAt).length} />
      <ServiceProviderCard serviceProvider={serviceProvider} />
      <ReauthProvider>
        <ConnectionCard connection={connection} mayChange={isAtLeast(role ?? 'admin', 'owner')} />
      </ReauthProvider>
      <DomainsCard domains={domains} />
    </div>
  )
}

function State({ isConnected, verifiedCount }: { isConnected: boolean; verifiedCount: number }) {
  if (isConnected && verifiedCount > 0) {
    return (
      <Callout tone="good" title="Single sign-on is on">
        Members with an email address on your verified {pluralize(verifiedCount, 'domain')} can sign in with it once
        they link it on their account page. Invited people without an account get one when they sign in.
      </Callout>
    )
  }
  return (
    <Callout title="Single sign-on is off">
      {isConnected
        ? 'Your identity provider is connected. Verify a domain to turn it on.'
        : 'Let your team sign in with OpenID Connect or SAML. Connect your identity provider and verify your domain.'}
    </Callout>
  )
}
