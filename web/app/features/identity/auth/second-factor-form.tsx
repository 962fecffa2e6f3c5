import { useMutation } from '@tanstack/react-query'
import type { SecondFactorNeeded } from '@x-automated/contract/identity/auth'
import { KeyRound } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { api, client, errorCode, errorText } from '../../../api'
import { session, useSession } from '../../../session'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { signWithPasskey, supportsPasskeys } from './passkey'
import { codeHint, waysOf } from './second-factor'

interface SecondFactorFormProps {
  needed: SecondFactorNeeded
  /** Returns to the password form. */
  onBack: () => void
}

/** The second step of signing in: a code or a passkey. */
export function SecondFactorForm({ needed, onBack }: SecondFactorFormProps) {
  const { ticket, secondFactor } = needed
  const ways = waysOf(secondFactor, supportsPasskeys())
  const { status } = useSession()
  const form = useForm<{ code: string }>({ defaultValues: { code: '' } })
  const enter = (result: Parameters<typeof session.signIn>[0]) => {
    session.signIn(result)
    session.announce('MFA_CHALLENGE_VERIFIED')
  }
  const byCode = useMutation(api.secondFactors.signIn.mutationOptions({ onSuccess: enter }))
  const byPasskey = useMutation({
    mutationFn: async () => client.secondFactors.signIn({ ticket, credential: await askPasskey(ticket) }),
    onSuccess: enter,
  })
  // True while signed in but still navigating.
  const entering = status === 'signed-in'
  const busy = byCode.isPending || byPasskey.isPending || entering
  const problem = byCode.error ?? byPasskey.error

  return (
    <div className="grid gap-4">
      {problem && <Callout tone="bad">{problemText(problem)}</Callout>}
      {!ways.code && !ways.passkey && (
        <Callout tone="bad">
          This account requires a passkey, which this browser doesn't support. Please log in with another browser.
        </Callout>
      )}
      {ways.code && (
        <Form
          name={null}
          onSubmit={form.handleSubmit(({ code }) => {
            byPasskey.reset()
            byCode.mutate({ ticket, code })
          })}
        >
          <Field label="Code" hint={codeHint(secondFactor)} error={form.formState.errors.code?.message} required>
            <Input
              // The user has just pressed Log In, so the focus may move here.
              autoFocus
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={50}
              {...form.register('code', { validate: (code) => code.trim() !== '' || 'Please enter the code' })}
            />
          </Field>
          <Button
            type="submit"
            variant="primary"
            size="lg"
            wide
            loading={byCode.isPending || entering}
            disabled={byPasskey.isPending}
          >
            {byCode.isPending || entering ? 'Logging in…' : 'Verify and log in'}
          </Button>
        </Form>
      )}
      {ways.passkey && (
        <Button
          variant={ways.code ? 'secondary' : 'primary'}
          size="lg"
          wide
          icon={<KeyRound aria-hidden />}
          loading={byPasskey.isPending}
          disabled={byCode.isPending || entering}
          onClick={() => {
            byCode.reset()
            byPasskey.mutate()
          }}
        >
          Use a passkey
        </Button>
      )}
      <Button variant="ghost" wide disabled={busy} onClick={onBack}>
        Back to log in
      </Button>
    </div>
  )
}

/** Asks the user for a passkey. @throws DOMException if canceled or no passkey matches */
async function askPasskey(ticket: string) {
  const { options } = await client.secondFactors.signInChallenge({ ticket })
  return signWithPasskey(options)
}

function problemText(error: Error): string {
  if (error instanceof DOMException) return "The passkey wasn't used. Try again, or choose another way."
  if (errorCode(error) === 'INVALID_CODE') return 'That code is wrong or has expired. Try again, or log in again.'
  return errorText(error)
}
