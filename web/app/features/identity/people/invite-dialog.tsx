import { type AssignableRole, people } from '@x-automated/contract/identity/people'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { useAction } from '../../../use-action'
import { ASSIGNABLE_ROLES, ROLES } from './role-text'

/** Invites someone by email. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    resolver: contractResolver(people.invite),
    defaultValues: { email: '', role: 'member' as AssignableRole },
  })
  const { errors } = form.formState
  const role = form.watch('role')
  const invite = useAction(client.people.invite, {
    done: ({ email }) => `Invitation sent to ${email}.`,
    onSuccess: onClose,
    onError: (error) => showProblems(form, error, errorText(error, 'Failed to send the invitation. Please try again.')),
    refetches: [api.people],
  })
  return (
    <FormDialog
      name="invitation"
      open
      onClose={onClose}
      title="Invite a teammate"
      description="We'll email them a link. It works once, for 7 days, and only for this address."
      label="Send invitation"
      loading={invite.isPending}
      onSubmit={form.handleSubmit((values) => invite.run(values))}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="Email address" error={errors.email?.message} required>
        <Input type="email" autoComplete="off" {...form.register('email')} />
      </Field>
      <RadioGroup
        label="Role"
        value={role}
        onChange={(value) => form.setValue('role', value as AssignableRole)}
        options={ASSIGNABLE_ROLES.map((value) => ({ value, label: ROLES[value].name, hint: ROLES[value].does }))}
      />
    </FormDialog>
  )
}
