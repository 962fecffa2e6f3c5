import { type SsoDomain, sso } from '@x-automated/contract/identity/sso'
import { CircleCheck, Clock } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { CopyButton } from '../../../ui/copy-button'
import { DateTime } from '../../../ui/date-time'
import { Field, FieldError } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { useAction } from '../../../use-action'

/** Domains with their TXT records. */
export function DomainsCard({ domains }: { domains: readonly SsoDomain[] }) {
  return (
    <Card
      title="3. Verify your domains"
      description="Only email addresses on a domain you've verified with a TXT record can sign in."
    >
      <div className="grid gap-5">
        {domains.length > 0 && (
          <ul aria-label="Domains" className="grid gap-3">
            {domains.map((domain) => (
              <DomainRow key={domain.id} domain={domain} />
            ))}
          </ul>
        )}
        <AddDomain />
      </div>
    </Card>
  )
}

function DomainRow({ domain: { id, domain, record, verifiedAt } }: { domain: SsoDomain }) {
  const verify = useAction(() => client.sso.verifyDomain({ id }), {
    done: `${domain} verified.`,
    // The error is shown below the record.
    onError: () => {},
    refetches: [api.sso],
  })
  const remove = useAction(() => client.sso.removeDomain({ id }), {
    question: {
      title: `Remove ${domain}?`,
      body: verifiedAt
        ? 'People with an email address on it can no longer use single sign-on. To add it again, you must verify it again.'
        : 'Its TXT record is no longer valid. To add it again, you get a new one.',
      confirm: 'Remove',
      danger: true,
    },
    done: `${domain} removed.`,
    refetches: [api.sso],
  })
  return (
    <li className="grid gap-3 rounded-lg border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="font-strong break-all">{domain}</span>
          {verifiedAt ? (
            <Badge tone="good" icon={<CircleCheck aria-hidden />}>
              Verified <DateTime value={verifiedAt} precision="day" />
            </Badge>
          ) : (
            <Badge tone="warn" icon={<Clock aria-hidden />}>
              Waiting for DNS
            </Badge>
          )}
        </div>
        <div className="flex gap-2">
          {!verifiedAt && (
            <Button size="sm" loading={verify.isPending} onClick={() => verify.run()}>
              Verify<span className="sr-only"> {domain}</span>
            </Button>
          )}
          <Button size="sm" loading={remove.isPending} onClick={() => remove.run()}>
            Remove<span className="sr-only"> {domain}</span>
          </Button>
        </div>
      </div>
      {!verifiedAt && (
        <div className="grid gap-1">
          <p className="text-muted">Set this TXT record at {domain}, then verify:</p>
          <div className="flex items-center justify-between gap-3 max-sm:flex-col max-sm:items-start">
            <code className="min-w-0 break-all">{record}</code>
            <CopyButton size="sm" text={record} />
          </div>
        </div>
      )}
      {verify.isError && <FieldError id={`${id}-problem`}>{errorText(verify.error)}</FieldError>}
    </li>
  )
}

function AddDomain() {
  const form = useForm({ resolver: contractResolver(sso.addDomain), defaultValues: { domain: '' } })
  const { errors } = form.formState
  const add = useAction(client.sso.addDomain, {
    onSuccess: () => form.reset(),
    onError: (error) => showProblems(form, error),
    refetches: [api.sso],
  })
  return (
    <Form
      name="domain"
      className="flex flex-wrap items-start gap-3"
      onSubmit={form.handleSubmit((values) => add.run(values))}
    >
      <Field
        label="Domain"
        error={(errors.domain ?? errors.root)?.message}
        required
        className="min-w-0 flex-1 sm:max-w-xs"
      >
        <Input spellCheck={false} autoCapitalize="none" placeholder="company.com" {...form.register('domain')} />
      </Field>
      <Button type="submit" loading={add.isPending} className="mt-6.5">
        Add domain
      </Button>
    </Form>
  )
}
