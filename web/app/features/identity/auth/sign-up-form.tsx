import { ORPCError } from '@orpc/client'
import { useMutation } from '@tanstack/react-query'
import { newPasswordProblem } from '@x-automated/contract/identity/password-rules'
import { useForm } from 'react-hook-form'
import { client, errorCode, errorText, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { PasswordInput } from '../../../ui/input'
import { useHydrated } from '../../../ui/use-hydrated'
import { emailProblem, isEmail } from './email'
import { EmailInput } from './email-input'
import { PasswordChecklist } from './password-checklist'
import { newCodeChallenge } from './pkce'
import { SignUpSent } from './sign-up-sent'

const missing = 'You must provide either an email or phone number and a password'

interface Values {
  email: string
  password: string
}

interface SignUpFormProps {
  referralCode: string | null
  /** Called with true once the confirmation link is sent, and with false if the form is shown again. */
  onSent: (isSent: boolean) => void
}

export function SignUpForm({ referralCode, onSent }: SignUpFormProps) {
  // Rerenders after hydration, to pick up anything typed before it.
  useHydrated()
  // No default values: they would overwrite anything typed before hydration.
  const form = useForm<Values>()
  const { errors } = form.formState
  const password = form.watch('password') ?? ''
  const signUp = useMutation({
    async mutationFn(input: { email: string; password: string; referralCode?: string }) {
      const codeChallenge = await newCodeChallenge()
      return client.auth.signUpEmail({ ...input, ...(codeChallenge ? { codeChallenge } : {}) })
    },
    onSuccess: () => onSent(true),
    onError: (error) => {
      const problems = fieldProblems(error)
      if (problems.email) form.setError('email', { message: problems.email })
      if (problems.password) form.setError('password', { message: problems.password })
      if (errorCode(error) === 'INTERNAL') console.warn('Failed to create user record.', error)
    },
  })

  if (signUp.isSuccess)
    return (
      <SignUpSent
        email={signUp.variables.email}
        onOtherEmail={() => {
          signUp.reset()
          onSent(false)
          requestAnimationFrame(() => form.setFocus('email'))
        }}
      />
    )

  const problems = fieldProblems(signUp.error)
  const refused = signUp.isError && !problems.email && !problems.password
  const incomplete = errors.email?.type === 'required' || errors.password?.type === 'required'
  return (
    <Form
      name="sign-up"
      onSubmit={form.handleSubmit((values) =>
        signUp.mutate({
          email: values.email.trim(),
          password: values.password,
          ...(referralCode ? { referralCode } : {}),
        }),
      )}
    >
      {refused && <Callout tone="bad">{signUpProblem(signUp.error)}</Callout>}
      {incomplete && <Callout tone="bad">{missing}</Callout>}
      <Field label="Email" error={errors.email?.message} required>
        <EmailInput
          aria-invalid={errors.email ? true : undefined}
          {...form.register('email', {
            required: true,
            validate: (value) => isEmail(value) || emailProblem,
          })}
        />
      </Field>
      <div className="grid gap-2">
        <Field label="Password" error={errors.password?.message} required>
          <PasswordInput
            autoComplete="new-password"
            aria-invalid={errors.password ? true : undefined}
            {...form.register('password', {
              required: true,
              validate: (value) => newPasswordProblem(value) ?? true,
            })}
          />
        </Field>
        <PasswordChecklist password={password} />
      </div>
      <Button type="submit" variant="primary" size="lg" wide loading={signUp.isPending}>
        {signUp.isPending ? 'Signing up…' : 'Sign Up'}
      </Button>
    </Form>
  )
}

/** The message for a failed sign-up. */
export function signUpProblem(error: unknown): string {
  if (error instanceof ORPCError && error.status >= 500) return 'Failed to sign up. Please try again.'
  return errorText(error, 'An error occurred')
}
