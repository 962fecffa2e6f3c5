import { useMutation } from '@tanstack/react-query'
import type { SecondFactorNeeded } from '@x-automated/contract/identity/auth'
import { useForm } from 'react-hook-form'
import { api, errorText, fieldProblems } from '../../../api'
import { session, useSession } from '../../../session'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { PasswordInput } from '../../../ui/input'
import { useHydrated } from '../../../ui/use-hydrated'
import { useSlow } from '../../../ui/use-slow'
import { emailProblem, requiredEmail } from './email'
import { EmailInput } from './email-input'

/** After this time, the page says that logging in is slow. */
const SLOW_AFTER_MS = 3000

interface Values {
  email: string
  password: string
}

interface LoginFormProps {
  /** Called if the password was correct but a second factor is required. */
  onSecondFactor: (needed: SecondFactorNeeded) => void
}

export function LoginForm({ onSecondFactor }: LoginFormProps) {
  const ready = useHydrated()
  const state = useSession()
  const isLoading = state.status === 'starting' || (state.status === 'signed-out' && state.reason === 'unanswered')
  // No default values: they would overwrite anything typed before hydration.
  const form = useForm<Values>()
  const { errors } = form.formState
  const login = useMutation(
    api.auth.signInEmail.mutationOptions({
      onSuccess: (result) => ('token' in result ? session.signIn(result) : onSecondFactor(result)),
      onError: (error) => {
        if (fieldProblems(error).email) form.setError('email', { message: emailProblem }, { shouldFocus: true })
      },
    }),
  )
  // Stays true after signing in, until the next page opens.
  const busy = login.isPending || state.status === 'signed-in'
  const slow = useSlow(busy || (ready && isLoading), SLOW_AFTER_MS)
  const refused = login.isError && !fieldProblems(login.error).email

  return (
    <Form
      name="log-in"
      onSubmit={form.handleSubmit((values) => login.mutate({ email: values.email.trim(), password: values.password }))}
    >
      {refused && <Callout tone="bad">{errorText(login.error, 'Invalid email or password')}</Callout>}
      {slow && (
        <Callout tone="warn">Login is taking longer than expected. Please check your connection and try again.</Callout>
      )}
      <Field label="Email" error={errors.email?.message} required>
        <EmailInput autoComplete="username" {...form.register('email', requiredEmail)} />
      </Field>
      <Field label="Password" error={errors.password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          {...form.register('password', { required: 'Password is required' })}
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" wide loading={busy}>
        {busy ? 'Logging in…' : 'Log In'}
      </Button>
    </Form>
  )
}
