import { formatCount } from '@x-automated/contract/format'
import type { SsoConnection } from '@x-automated/contract/identity/sso'
import { DAY_MS } from '@x-automated/contract/time'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { ConnectionForm } from './connection-form'

const kindNames = { oidc: 'OpenID Connect', saml: 'SAML 2.0' }

interface ConnectionCardProps {
  connection: SsoConnection | null
  /** Whether the user is the workspace's owner. */
  mayChange: boolean
}

/** The identity provider's form or settings. */
export function ConnectionCard({ connection, mayChange }: ConnectionCardProps) {
  const [isEditing, setEditing] = useState(false)
  return (
    <Card title="2. Connect your identity provider" description={connection ? undefined : 'One per workspace.'}>
      <div className="grid grid-cols-1 gap-5">
        {!mayChange && (
          <Callout title="Only the workspace owner can manage the identity provider">
            It decides who can sign in. Ask the owner to {connection ? 'change' : 'set up'} it.
          </Callout>
        )}
        {connection && !isEditing ? (
          <Connection connection={connection} mayChange={mayChange} onEdit={() => setEditing(true)} />
        ) : (
          mayChange && <ConnectionForm connection={connection} onDone={() => setEditing(false)} />
        )}
      </div>
    </Card>
  )
}

/** The settings warn this many days before sign-in stops. */
const WARN_DAYS = 30

/** Says when sign-in stops, or that it has stopped, because the last certificate expires. Null with OpenID Connect. */
export function CertificateWarning({ certificates }: Pick<SsoConnection, 'certificates'>) {
  const last = certificates
    .map(({ expiresAt }) => expiresAt)
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1)
  if (!last || Date.parse(last) - Date.now() > WARN_DAYS * DAY_MS) return null
  if (Date.parse(last) <= Date.now())
    return (
      <Callout tone="warn" title="No one can sign in: the certificate has expired">
        The provider’s responses have been rejected since <DateTime value={last} precision="day" endsSentence /> Add its
        new certificate under “Change”.
      </Callout>
    )
  return (
    <Callout tone="warn" title="The certificate expires soon">
      Single sign-on stops on <DateTime value={last} precision="day" endsSentence /> Add the provider’s new certificate
      before then. Save both, so that members stay linked.
    </Callout>
  )
}

interface ConnectionProps {
  connection: SsoConnection
  mayChange: boolean
  onEdit: () => void
}

function Connection({ connection, mayChange, onEdit }: ConnectionProps) {
  const { kind, issuer, clientId, scopes, ssoUrl, certificates, linkedCount, updatedAt } = connection
  const test = useAction(() => client.sso.test({}))
  const remove = useAction(() => client.sso.remove({}), {
    question: {
      title: 'Remove the identity provider?',
      body:
        linkedCount > 0
          ? `No one can sign in with it anymore. ${formatCount(linkedCount, 'person', 'people')} linked it: they'll be unlinked, signed out of those sessions and notified by email.`
          : 'No one will be able to sign in with it.',
      confirm: 'Remove',
      danger: true,
    },
    done: 'Identity provider removed.',
    refetches: [api.sso],
  })
  return (
    <div className="grid gap-5">
      <CertificateWarning certificates={certificates} />
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
        <Term name="Protocol">{kindNames[kind]}</Term>
        <Term name={kind === 'oidc' ? 'Issuer' : 'Entity ID'}>{issuer}</Term>
        {clientId && <Term name="Client ID">{clientId}</Term>}
        {clientId && <Term name="Client secret">Stored and never shown again</Term>}
        {scopes && <Term name="Scopes">{scopes}</Term>}
        {ssoUrl && <Term name="Sign-in URL">{ssoUrl}</Term>}
        {certificates.map((certificate) => (
          <Term key={certificate.fingerprint} name="Certificate">
            {certificate.subject}, until <DateTime value={certificate.expiresAt} precision="day" />
            <code className="block text-xs text-muted">SHA-256 {certificate.fingerprint}</code>
          </Term>
        ))}
        <Term name="Linked by">{formatCount(linkedCount, 'member')}</Term>
        <Term name="Changed">
          <DateTime value={updatedAt} />
        </Term>
      </dl>
      {test.data && (
        <ul aria-label="Test results" className="grid gap-2 rounded-lg border border-line p-4">
          {test.data.checks.map(({ label, ok, detail }) => (
            <li key={label} className="flex gap-2">
              {ok ? (
                <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
              ) : (
                <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
              )}
              <span className="min-w-0 break-words">
                <span className="font-strong">{label}:</span> {detail}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button loading={test.isPending} onClick={() => test.run()}>
          Test connection
        </Button>
        {mayChange && <Button onClick={onEdit}>Change</Button>}
        {mayChange && (
          <Button loading={remove.isPending} onClick={() => remove.run()}>
            Remove
          </Button>
        )}
      </div>
      <p role="status" className="sr-only">
        {test.data && (test.data.ok ? 'Test passed.' : 'Test failed.')}
      </p>
    </div>
  )
}

function Term({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted max-sm:-mb-2">{name}</dt>
      <dd className="min-w-0 break-words [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
