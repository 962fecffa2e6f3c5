import { useQuery, useQueryClient } from '@tanstack/react-query'
import { account, type User } from '@x-automated/contract/identity/account'
import { Check, Clock } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { SkeletonButton, SkeletonField, SkeletonLine } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { Section } from './section'

/** Shows and changes the email address. Both addresses must confirm a change. */
export function EmailSection() {
  const user = useQuery(api.account.findUser.queryOptions())
  return (
    <Section
      id="email"
      query={user}
      skeleton={<EmailSkeleton />}
      description="You use it to log in and get emails. Your waitlist place moves with it."
    >
      {user.data && <EmailChange user={user.data} />}
    </Section>
  )
}

function EmailSkeleton() {
  return (
    <div className="grid gap-5">
      <span className="grid h-6 content-center">
        <SkeletonLine className="w-64" />
      </span>
      <div className="flex flex-wrap items-end gap-3">
        <SkeletonField className="w-full max-w-sm" />
        <SkeletonButton className="w-36" />
      </div>
    </div>
  )
}

function EmailChange({ user }: { user: User }) {
  const queries = useQueryClient()
  const form = useForm({ resolver: contractResolver(account.updateUser), defaultValues: { email: '' } })
  const change = useAction((email: string) => client.account.updateUser({ email }), {
    onSuccess(changed) {
      queries.setQueryData(api.account.findUser.queryKey(), changed)
      form.reset()
    },
    done: ({ pendingEmail }) =>
      pendingEmail ? "We've emailed a link to both addresses." : 'Your email address stays the same.',
  })
  const { pendingEmail, pendingEmailConfirmed } = user

  return (
    <div className="grid gap-5">
      <p className="flex flex-wrap items-center gap-2">
        <strong className="break-all">{user.email}</strong>
        <Badge tone="good" icon={<Check aria-hidden />}>
          Confirmed
        </Badge>
      </p>
      {pendingEmail ? (
        <div className="grid gap-4 rounded-lg border border-line bg-sunken p-4" role="status">
          <p>
            Your account moves to <strong className="break-all">{pendingEmail}</strong> once you confirm from both
            addresses, within 24 hours.
          </p>
          <ul className="grid gap-2">
            <Mailbox address={user.email} confirmed={pendingEmailConfirmed?.present ?? false} />
            <Mailbox address={pendingEmail} confirmed={pendingEmailConfirmed?.new ?? false} />
          </ul>
          <div className="flex flex-wrap gap-2">
            <Button size="sm" loading={change.isPending} onClick={() => change.run(pendingEmail)}>
              Send the links again
            </Button>
            <Button size="sm" variant="ghost" disabled={change.isPending} onClick={() => change.run(user.email)}>
              Cancel the change
            </Button>
          </div>
        </div>
      ) : (
        <Form
          name="email"
          className="flex flex-wrap items-start gap-3"
          onSubmit={form.handleSubmit(({ email = '' }) => {
            if (email === user.email) form.setError('email', { message: 'This is already your address' })
            else change.run(email)
          })}
        >
          <Field
            label="New email address"
            error={form.formState.errors.email?.message}
            required
            className="w-full max-w-sm"
          >
            <Input
              type="email"
              autoComplete="email"
              inputMode="email"
              spellCheck={false}
              placeholder="you@company.com"
              {...form.register('email')}
            />
          </Field>
          <Button type="submit" className="sm:mt-6.5" loading={change.isPending}>
            {change.isPending ? 'Sending…' : 'Change address'}
          </Button>
        </Form>
      )}
    </div>
  )
}

function Mailbox({ address, confirmed }: { address: string; confirmed: boolean }) {
  return (
    <li className="flex flex-wrap items-center gap-2">
      <Badge tone={confirmed ? 'good' : 'neutral'} icon={confirmed ? <Check aria-hidden /> : <Clock aria-hidden />}>
        {confirmed ? 'Confirmed' : 'Waiting'}
      </Badge>
      <span className="break-all">{address}</span>
    </li>
  )
}
