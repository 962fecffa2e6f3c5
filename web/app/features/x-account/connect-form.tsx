import { useMutation, useQueryClient } from '@tanstack/react-query'
import { AtSign, Link2 } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { api, errorWords, fieldProblems } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { Input, PasswordInput } from '../../ui/input'
import { toast } from '../../ui/toast'
import { bothNeeded, usernameProblem } from './credentials'

interface Values {
  username: string
  password: string
}

/** Signs in to X by user name and password. */
export function ConnectForm() {
  const queries = useQueryClient()
  const form = useForm<Values>({ defaultValues: { username: '', password: '' } })
  const { errors } = form.formState
  const [username, password] = form.watch(['username', 'password'])
  const connect = useMutation(
    api.xAccount.connect.mutationOptions({
      onSuccess: async ({ message }) => {
        // What had waited for it goes on.
        for (const queryKey of [api.campaigns.key(), api.scrapes.key()]) void queries.invalidateQueries({ queryKey })
        await queries.invalidateQueries({ queryKey: api.xAccount.key() })
        toast.success(message || 'Twitter account connected successfully!')
      },
      onError: (error) => {
        const problems = fieldProblems(error)
        if (problems.username) form.setError('username', { message: problems.username }, { shouldFocus: true })
        if (problems.password) form.setError('password', { message: problems.password })
      },
    }),
  )
  const problems = fieldProblems(connect.error)
  const refused = connect.isError && !problems.username && !problems.password
  return (
    <form
      method="post"
      noValidate
      className="grid gap-4 border-t border-line pt-5"
      onSubmit={form.handleSubmit(({ username, password }) => connect.mutate({ username: username.trim(), password }))}
    >
      {refused && (
        <Callout tone="bad">
          {errorWords(connect.error, 'Failed to connect Twitter account. Please check your credentials and try again.')}
        </Callout>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Username" error={errors.username?.message} hint="Without the @" required>
          <Input
            leading={<AtSign aria-hidden />}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={50}
            placeholder="yourhandle"
            {...form.register('username', { validate: (value) => usernameProblem(value) ?? true })}
          />
        </Field>
        <Field label="Password" error={errors.password?.message} required>
          <PasswordInput
            autoComplete="current-password"
            maxLength={500}
            {...form.register('password', { required: bothNeeded })}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">Your password goes to X once and is never stored.</p>
        <Button
          type="submit"
          variant="primary"
          icon={<Link2 aria-hidden />}
          loading={connect.isPending}
          disabled={username === '' || password === ''}
          className="max-sm:w-full"
        >
          {connect.isPending ? 'Connecting…' : 'Connect X'}
        </Button>
      </div>
    </form>
  )
}
