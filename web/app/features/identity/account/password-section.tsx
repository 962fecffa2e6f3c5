import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { User } from '@x-automated/contract/identity/account'
import { PASSWORD_PROBLEM } from '@x-automated/contract/identity/password-rules'
import { FormProvider, useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { api, client, errorCode, errorText, fieldProblems } from '../../../api'
import { paths } from '../../../paths'
import { showFailure, useReauthentication } from '../../../reauthentication'
import { session } from '../../../session'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { PasswordInput } from '../../../ui/input'
import { Skeleton, SkeletonButton, SkeletonField } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { NewPasswordFields } from '../auth/new-password-fields'
import { Section } from './section'

/** Changes the password, or sets one if the account has none. */
export function PasswordSection() {
  const user = useQuery(api.account.findUser.queryOptions())
  return (
    <Section
      id="password"
      query={user}
      skeleton={<PasswordSkeleton />}
      description={
        user.data && !user.data.hasPassword
          ? "You don't have one yet. Set one to log in with your email address, too."
          : 'Changing it signs out all other devices.'
      }
    >
      {user.data && <PasswordForm user={user.data} />}
    </Section>
  )
}

function PasswordSkeleton() {
  return (
    <div className="grid max-w-sm gap-4">
      <SkeletonField />
      <div className="grid gap-2">
        <SkeletonField />
        <Skeleton className="h-14" />
      </div>
      <SkeletonField />
      <SkeletonButton className="w-40" />
    </div>
  )
}

const empty = { currentPassword: '', password: '', confirmation: '' }

function PasswordForm({ user }: { user: User }) {
  const queries = useQueryClient()
  const withReauthentication = useReauthentication()
  const form = useForm({ defaultValues: empty })
  const { errors } = form.formState
  const change = useMutation({
    mutationFn: ({ currentPassword, password }: typeof empty) =>
      withReauthentication(() =>
        client.account.updateUser({ password, ...(user.hasPassword ? { currentPassword } : {}) }),
      ),
    onSuccess(changed) {
      queries.setQueryData(api.account.findUser.queryKey(), changed)
      session.updateUser({ id: changed.id, email: changed.email })
      form.reset(empty)
      toast.success('Password changed. Other devices were signed out.')
    },
    onError(error) {
      if (fieldProblems(error).password) form.setError('password', { message: PASSWORD_PROBLEM }, { shouldFocus: true })
      else if (errorCode(error) === 'INVALID_CREDENTIALS')
        form.setError('currentPassword', { message: errorText(error) }, { shouldFocus: true })
      else showFailure(error)
    },
  })
  return (
    <Form name={null} className="max-w-sm" onSubmit={form.handleSubmit((values) => change.mutate(values))}>
      {/* Tells password managers which account this is. */}
      <input hidden readOnly autoComplete="username" value={user.email} />
      {user.hasPassword && (
        <Field
          label="Current password"
          error={errors.currentPassword?.message}
          required
          aside={
            <Link to={paths.forgotPassword} className="text-link">
              Forgot password?
            </Link>
          }
        >
          <PasswordInput
            autoComplete="current-password"
            {...form.register('currentPassword', { required: 'Current password is required' })}
          />
        </Field>
      )}
      <FormProvider {...form}>
        <NewPasswordFields />
      </FormProvider>
      <Button type="submit" className="w-fit" loading={change.isPending}>
        {change.isPending ? 'Saving…' : user.hasPassword ? 'Change password' : 'Set password'}
      </Button>
    </Form>
  )
}
