import { xAccount } from '@x-automated/contract/platform/x-account'
import { AtSign, Link2 } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button, type ButtonProps } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput } from '../../../ui/input'
import { useAction } from '../../../use-action'
import { DEPENDS_ON_ACCOUNT } from './use-accounts'

const FAILED = 'Failed to connect Twitter account. Please check your credentials and try again.'

interface ConnectFormProps {
  /** Precedes the fields' labels, to distinguish them from other fields nearby. */
  prefix?: string
  label?: string
  variant?: ButtonProps['variant']
  onConnected?: () => void
}

/** Connects X with a username and password. */
export function ConnectForm({ prefix = '', label = 'Connect X', variant = 'primary', onConnected }: ConnectFormProps) {
  const form = useForm({
    resolver: contractResolver(xAccount.connect),
    defaultValues: { username: '', password: '' },
  })
  const { errors } = form.formState
  const [username, password] = form.watch(['username', 'password'])
  const connect = useAction(client.xAccount.connect, {
    done: ({ message }) => message || 'Twitter account connected successfully!',
    onSuccess: onConnected,
    onError: (error) => showProblems(form, error, errorText(error, FAILED)),
    refetches: DEPENDS_ON_ACCOUNT,
  })
  return (
    <Form name="connect-x" onSubmit={form.handleSubmit((credentials) => connect.run(credentials))}>
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={`${prefix}Username`} error={errors.username?.message} hint="Without the @" required>
          <Input
            leading={<AtSign aria-hidden />}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="yourhandle"
            {...form.register('username')}
          />
        </Field>
        <Field label={`${prefix}Password`} error={errors.password?.message} required>
          <PasswordInput autoComplete="current-password" {...form.register('password')} />
        </Field>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">We send your password to X once and never store it.</p>
        <Button
          type="submit"
          variant={variant}
          icon={<Link2 aria-hidden />}
          loading={connect.isPending}
          disabled={username === '' || password === ''}
          className="max-sm:w-full"
        >
          {connect.isPending ? 'Connecting…' : label}
        </Button>
      </div>
    </Form>
  )
}
