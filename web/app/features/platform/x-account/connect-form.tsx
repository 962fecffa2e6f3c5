import { AtSign, Link2 } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Input, PasswordInput } from '../../../ui/input'
import { BOTH_REQUIRED, usernameProblem } from './credentials'
import { type Credentials, useConnectX } from './use-connect-x'

/** Connects X with a username and password. */
export function ConnectForm() {
  const form = useForm<Credentials>({ defaultValues: { username: '', password: '' } })
  const { errors } = form.formState
  const [username, password] = form.watch(['username', 'password'])
  const { connect, isRejected, submit } = useConnectX(form)
  return (
    <form method="post" noValidate className="grid gap-4 border-t border-line pt-5" onSubmit={submit}>
      {isRejected && (
        <Callout tone="bad">
          {errorText(connect.error, 'Failed to connect Twitter account. Please check your credentials and try again.')}
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
            {...form.register('password', { required: BOTH_REQUIRED })}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">We send your password to X once and never store it.</p>
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
