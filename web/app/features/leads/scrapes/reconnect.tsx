import { useQuery } from '@tanstack/react-query'
import { AtSign, Link2 } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { api, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Input, PasswordInput } from '../../../ui/input'
import { ADMINS_CONNECT } from '../../overview/settings/role-notice'
import { useIsOffered } from '../../overview/settings/use-role'
import { ConnectWithX } from '../../platform/x-account/connect-with-x'
import { usernameProblem } from '../../platform/x-account/credentials'
import { type Credentials, useConnectX } from '../../platform/x-account/use-connect-x'
import { CREDENTIALS_REQUIRED, SESSION_EXPIRED } from './scrape-text'

/** The account may get connected in another tab. */
const POLL_EVERY_MS = 10_000

/**
 * Connects an X account for a waiting scrape; the server then resumes it. @param reason why X
 * refused, if known
 */
export function Reconnect({ reason }: { reason: string | null }) {
  const connection = useQuery(
    api.xAccount.status.queryOptions({ refetchOnMount: 'always', refetchInterval: POLL_EVERY_MS }),
  )
  const mayConnect = useIsOffered('admin')
  const form = useForm<Credentials>({ defaultValues: { username: '', password: '' } })
  const { errors } = form.formState
  const { connect, isRejected, submit } = useConnectX(form)
  if (!mayConnect) return <Callout tone="warn">{ADMINS_CONNECT}</Callout>
  if (connect.isSuccess)
    return <Callout tone="good">Your X account is connected. The scrape is starting again.</Callout>
  // Without password login, X's own page asks for access.
  if (connection.data && !connection.data.methods.includes('password')) {
    return (
      <Callout tone="warn" action={<ConnectWithX size="sm">Connect with X again</ConnectWithX>}>
        {reason ?? 'X has ended this connection. Connect again.'}
      </Callout>
    )
  }
  return (
    <form method="post" noValidate className="grid gap-4" onSubmit={submit}>
      <Callout tone="warn" title={SESSION_EXPIRED}>
        {reason !== SESSION_EXPIRED && reason}
      </Callout>
      {isRejected && (
        <Callout tone="bad">
          {errorText(connect.error, 'Failed to connect Twitter account. Please check your credentials and try again.')}
        </Callout>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="X Username" error={errors.username?.message} required>
          <Input
            leading={<AtSign aria-hidden />}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={50}
            {...form.register('username', {
              required: CREDENTIALS_REQUIRED,
              validate: (value) => (value.trim() === '' ? CREDENTIALS_REQUIRED : (usernameProblem(value) ?? true)),
            })}
          />
        </Field>
        <Field label="X Password" error={errors.password?.message} required>
          <PasswordInput
            autoComplete="current-password"
            maxLength={500}
            {...form.register('password', { required: CREDENTIALS_REQUIRED })}
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
          className="max-sm:w-full"
        >
          {connect.isPending ? 'Connecting…' : 'Connect X and continue'}
        </Button>
      </div>
    </form>
  )
}
