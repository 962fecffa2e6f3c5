import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { GivenRole } from '@x-automated/contract/identity/people'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorText, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { GIVEN_ROLES, ROLES } from './role-text'

interface Values {
  email: string
  role: GivenRole
}

/** Invites someone by email. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const formId = useId()
  const queries = useQueryClient()
  const form = useForm<Values>({ defaultValues: { email: '', role: 'member' } })
  const role = form.watch('role')
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess({ email }) {
        toast.success(`Invitation sent to ${email}.`)
        onClose()
      },
      onError(error) {
        const problem = fieldProblems(error).email
        if (problem) form.setError('email', { message: problem }, { shouldFocus: true })
      },
      onSettled: () => queries.invalidateQueries({ queryKey: api.people.key() }),
    }),
  )
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite a teammate"
      description="We'll email them a link. It works once, for 7 days, and only for this address."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={invite.isPending}>
            Send invitation
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        method="post"
        className="grid gap-5"
        onSubmit={form.handleSubmit((values) => invite.mutate(values))}
      >
        {invite.isError && !fieldProblems(invite.error).email && (
          <Callout tone="bad">{errorText(invite.error, 'Failed to send the invitation. Please try again.')}</Callout>
        )}
        <Field label="Email address" error={form.formState.errors.email?.message} required>
          <Input
            type="email"
            autoComplete="off"
            maxLength={254}
            {...form.register('email', { required: 'Enter an email address.' })}
          />
        </Field>
        <RadioGroup
          label="Role"
          value={role}
          onChange={(value) => form.setValue('role', value as GivenRole)}
          options={GIVEN_ROLES.map((value) => ({ value, label: ROLES[value].name, hint: ROLES[value].does }))}
        />
      </form>
    </Dialog>
  )
}
