import { useMutation } from '@tanstack/react-query'
import { newPasswordProblem } from '@x-automated/contract/identity/password-rules'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { api, errorCode, errorText, fieldProblems } from '../../../api'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { PasswordInput } from '../../../ui/input'
import { PasswordChecklist } from './password-checklist'

/** Shown for incomplete, used or expired links. */
export function InvalidConfirmationLink() {
  return (
    <div className="grid gap-4">
      <Callout tone="bad">This link is invalid or has expired.</Callout>
      <p className="text-muted">Already confirmed your email? Log in. Otherwise, sign up again.</p>
      <div className="grid gap-2 sm:grid-cols-2">
        <ButtonLink to={paths.login} variant="primary">
          Log in
        </ButtonLink>
        <ButtonLink to={paths.signUp}>Sign up</ButtonLink>
      </div>
    </div>
  )
}

/**
 * Confirms a sign-up that began in another browser. Asks for a new password, because a stranger may
 * have chosen the old one.
 */
export function ConfirmEmailForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const form = useForm({ defaultValues: { password: '' } })
  const { errors } = form.formState
  const password = form.watch('password')
  const confirm = useMutation(
    api.auth.confirmEmail.mutationOptions({
      onSuccess: ({ message }) => navigate(paths.login, { replace: true, state: { notice: message } }),
      onError: (error) => {
        const problem = fieldProblems(error).password
        if (problem) form.setError('password', { message: problem }, { shouldFocus: true })
      },
    }),
  )

  if (errorCode(confirm.error) === 'INVALID_CODE') return <InvalidConfirmationLink />
  return (
    <Form name={null} onSubmit={form.handleSubmit((values) => confirm.mutate({ token, password: values.password }))}>
      {confirm.isError && !fieldProblems(confirm.error).password && (
        <Callout tone="bad">{errorText(confirm.error)}</Callout>
      )}
      <div className="grid gap-2">
        <Field label="New password" error={errors.password?.message} required>
          <PasswordInput
            autoComplete="new-password"
            {...form.register('password', { validate: (value) => newPasswordProblem(value) ?? true })}
          />
        </Field>
        <PasswordChecklist password={password} />
      </div>
      <Button type="submit" variant="primary" size="lg" wide loading={confirm.isPending}>
        {confirm.isPending ? 'Confirming…' : 'Confirm email'}
      </Button>
    </Form>
  )
}
