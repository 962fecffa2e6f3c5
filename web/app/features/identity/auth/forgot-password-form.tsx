import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { api, errorText, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { emailProblem, requiredEmail } from './email'
import { EmailInput } from './email-input'
import { mailboxOf, OpenMail } from './open-mail'

/** Requests a reset link. The response doesn't reveal whether the account exists. */
export function ForgotPasswordForm() {
  // No default values: they would overwrite anything typed before hydration.
  const form = useForm<{ email: string }>()
  const { errors } = form.formState
  const recover = useMutation(
    api.account.recover.mutationOptions({
      onError: (error) => {
        if (fieldProblems(error).email) form.setError('email', { message: emailProblem }, { shouldFocus: true })
      },
    }),
  )
  return (
    <Form name="forgot-password" onSubmit={form.handleSubmit(({ email }) => recover.mutate({ email: email.trim() }))}>
      {recover.isSuccess && (
        <Callout
          tone="good"
          action={
            mailboxOf(recover.variables.email) && <OpenMail email={recover.variables.email} variant="secondary" />
          }
        >
          Password reset email sent. Please check your inbox.
        </Callout>
      )}
      {recover.isError && !fieldProblems(recover.error).email && (
        <Callout tone="bad">{errorText(recover.error)}</Callout>
      )}
      <Field label="Email" error={errors.email?.message} required>
        <EmailInput autoComplete="username" {...form.register('email', requiredEmail)} />
      </Field>
      <Button type="submit" variant="primary" size="lg" wide loading={recover.isPending}>
        {recover.isPending ? 'Sending…' : 'Send reset link'}
      </Button>
    </Form>
  )
}
