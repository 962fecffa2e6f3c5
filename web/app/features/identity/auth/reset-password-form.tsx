import { useMutation } from '@tanstack/react-query'
import { PASSWORD_PROBLEM } from '@x-automated/contract/identity/password-rules'
import { useEffect, useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { api, errorCode, fieldProblems, refusalText } from '../../../api'
import { paths } from '../../../paths'
import { session } from '../../../session'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Form } from '../../../ui/form'
import { FactorRemoval } from './factor-removal'
import { NewPasswordFields } from './new-password-fields'

/** Delay before redirecting to the login page. */
const REDIRECT_AFTER_MS = 3000

/** Shown for links without a token, or with a used or expired one. */
export function InvalidResetLink() {
  return (
    <Callout
      tone="bad"
      action={
        <ButtonLink to={paths.forgotPassword} size="sm">
          Send a new link
        </ButtonLink>
      }
    >
      Invalid or expired password reset link. Please try again.
    </Callout>
  )
}

/** Sets a new password, using the token of an emailed link. */
export function ResetPasswordForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const form = useForm({ defaultValues: { password: '', confirmation: '' } })
  const reset = useMutation(
    api.account.resetPassword.mutationOptions({
      // A reset ends every session of the account, including this one.
      onSuccess: () => session.signOut(),
      onError: (error) => {
        if (fieldProblems(error).password) form.setError('password', { message: PASSWORD_PROBLEM })
      },
    }),
  )

  useEffect(() => session.announce('PASSWORD_RECOVERY'), [])
  const [isRemoved, setRemoved] = useState(false)
  const offer = isRemoved ? undefined : reset.data?.factorRemoval
  const isDone = reset.isSuccess && !offer
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => void navigate(paths.login, { replace: true }), REDIRECT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isDone, navigate])

  if (offer) return <FactorRemoval offer={offer} onRemoved={() => setRemoved(true)} />
  if (isRemoved) return <Callout tone="good">Second factors removed. Redirecting to login...</Callout>
  if (isDone) return <Callout tone="good">Password has been reset successfully! Redirecting to login...</Callout>
  if (errorCode(reset.error) === 'INVALID_CODE') return <InvalidResetLink />
  return (
    <Form name={null} onSubmit={form.handleSubmit(({ password }) => reset.mutate({ token, password }))}>
      {reset.isError && !fieldProblems(reset.error).password && (
        <Callout tone="bad">{refusalText(reset.error, 'An error occurred while resetting your password')}</Callout>
      )}
      <FormProvider {...form}>
        <NewPasswordFields />
      </FormProvider>
      <Button type="submit" variant="primary" size="lg" wide loading={reset.isPending}>
        {reset.isPending ? 'Setting…' : 'Set new password'}
      </Button>
    </Form>
  )
}
