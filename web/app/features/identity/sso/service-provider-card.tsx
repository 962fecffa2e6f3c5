import { Card } from '../../../ui/card'
import { CopyButton } from '../../../ui/copy-button'

interface ServiceProvider {
  redirectUri: string
  entityId: string
  acsUrl: string
  metadataUrl: string
}

/** Our values, which the admin enters at the identity provider. */
export function ServiceProviderCard({ serviceProvider }: { serviceProvider: ServiceProvider }) {
  const { redirectUri, entityId, acsUrl, metadataUrl } = serviceProvider
  return (
    <Card title="1. Add us to your identity provider" description="Create an application there with these values.">
      <div className="grid gap-6">
        <Values title="OpenID Connect" values={[['Redirect URI', redirectUri]]} />
        <Values
          title="SAML 2.0"
          values={[
            ['ACS URL', acsUrl],
            ['Entity ID', entityId],
          ]}
        />
        <p className="text-muted">
          Or give it our{' '}
          <a className="text-link" href={metadataUrl} download="x-automated-metadata.xml">
            SAML metadata
          </a>
          . Assertions must be signed and include the email address.
        </p>
      </div>
    </Card>
  )
}

function Values({ title, values }: { title: string; values: [string, string][] }) {
  return (
    <div className="grid gap-3">
      <h3 className="font-strong">{title}</h3>
      <dl className="grid gap-3">
        {values.map(([term, value]) => (
          <div key={term} className="grid gap-1">
            <dt className="text-muted">{term}</dt>
            <dd className="flex items-center justify-between gap-3 max-sm:flex-col max-sm:items-start">
              <code className="min-w-0 break-all">{value}</code>
              <CopyButton size="sm" text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
