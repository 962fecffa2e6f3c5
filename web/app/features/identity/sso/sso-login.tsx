import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { client, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { usePageRestored } from '../../../ui/use-page-restored'
import { emailProblem, isEmail } from '../auth/email'
import { requireCodeChallenge } from '../auth/pkce'

/** Redirects to the identity provider of a work email's domain. */
export function SsoLogin({ onBack }: { onBack: () => void }) {
  const form = useForm({ defaultValues: { email: '' } })
  const { errors } = form.formState
  const begin = useMutation({
    async mutationFn(email: string) {
      const codeChallenge = await requireCodeChallenge('sso')
      return client.sso.begin({ email, codeChallenge })
    },
    onSuccess: ({ url }) => location.assign(url),
  })
  usePageRestored(begin.reset)
  return (
    <Form name="sso" onSubmit={form.handleSubmit(({ email }) => begin.mutate(email.trim()))}>
      {begin.isError && (
        <Callout tone="bad">{errorText(begin.error, "We couldn't start single sign-on. Please try again.")}</Callout>
      )}
      <Field
        label="Work email"
        hint="We use it to find your company's sign-in page."
        error={errors.email?.message}
        required
      >
        <Input
          type="email"
          autoComplete="email"
          inputMode="email"
          spellCheck={false}
          autoFocus
          placeholder="you@company.com"
          {...form.register('email', {
            required: 'Email is required',
            validate: (email) => isEmail(email) || emailProblem,
          })}
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" wide loading={begin.isPending || begin.isSuccess}>
        Continue
      </Button>
      <Button variant="ghost" wide onClick={onBack}>
        Log in with a password instead
      </Button>
    </Form>
  )
}
