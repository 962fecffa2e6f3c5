import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { readPlace } from '../../../place-storage'
import { session } from '../../../session'
import { clearPlace } from '../../../stored-place'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { SkeletonButton, SkeletonField, SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { Section } from './section'

/** Deletes the account. */
export function DeleteSection() {
  const user = useQuery(api.account.findUser.queryOptions())
  return (
    <Section
      id="delete"
      query={user}
      skeleton={
        <div className="grid gap-4">
          <SkeletonText lines={7} />
          <SkeletonField className="max-w-sm" />
          <SkeletonButton className="w-40" />
        </div>
      }
      description="This is immediate and permanent. We can't restore it."
    >
      {user.data && <DeleteForm email={user.data.email} />}
    </Section>
  )
}

function DeleteForm({ email }: { email: string }) {
  const form = useForm({ defaultValues: { confirmation: '' } })
  const confirmation = form.watch('confirmation')
  const remove = useAction(() => client.personalData.remove({ confirmation: email }), {
    done: 'Account deleted.',
    onSuccess() {
      if (readPlace(localStorage)?.email === email) clearPlace()
      session.clear()
    },
  })
  return (
    <Form name={null} onSubmit={form.handleSubmit(() => remove.run())}>
      <div className="grid gap-2">
        <p>This also deletes:</p>
        <ul className="grid list-disc gap-1 ps-5 text-muted">
          <li>
            every workspace you own, with all its leads, lists, campaigns, messages and scrapes, for everyone in it
          </li>
          <li>your X connections; we also revoke our access at X</li>
          <li>your referral code, achievements and rewards (your waitlist place stays, anonymously)</li>
          <li>your paid plans, which end immediately with no automatic refund</li>
          <li>all sessions, second factors and linked accounts</li>
        </ul>
      </div>
      <Field
        label={
          <>
            Type <span className="break-all">{email}</span> to confirm
          </>
        }
        className="max-w-sm"
      >
        <Input autoComplete="off" autoCapitalize="none" spellCheck={false} {...form.register('confirmation')} />
      </Field>
      <Button
        type="submit"
        variant="danger"
        className="w-fit"
        disabled={confirmation.trim().toLowerCase() !== email}
        loading={remove.isPending}
      >
        {remove.isPending ? 'Deleting…' : 'Delete my account'}
      </Button>
    </Form>
  )
}
