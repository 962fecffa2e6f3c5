import { ORPCError } from '@orpc/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { account } from '@x-automated/contract/identity/account'
import type { FactorsToProve } from '@x-automated/contract/identity/second-factors'
import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorCode, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { QueryError } from '../../../query-error'
import type { ReauthPrompt } from '../../../reauthentication'
import { session, useSession } from '../../../session'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput } from '../../../ui/input'
import { Skeleton } from '../../../ui/skeleton'
import { usePageRestored } from '../../../ui/use-page-restored'
import { signWithPasskey, supportsPasskeys } from './passkey'
import { type FactorToProve, type ReauthWay, reauthWays, wayText } from './reauth-ways'

interface ReauthDialogProps {
  open: boolean
  question?: ReauthPrompt
  onVerified: () => void
  onCancel: () => void
}

/** The dialog behind `useReauthentication`. Loaded when it is first needed. */
export default function ReauthDialog({ open, question, onVerified, onCancel }: ReauthDialogProps) {
  const user = useQuery(api.account.findUser.queryOptions({ staleTime: 0 }))
  const list = useQuery(api.secondFactors.list.queryOptions({ staleTime: 0 }))
  const factors: readonly FactorToProve[] | undefined = list.data?.factors ?? factorsOf(list.error)
  const [chosen, setChosen] = useState<ReauthWay | null>(null)
  const failed = user.isError || (list.isError && !factors)
  const singleSignOn = question?.singleSignOn
  const ways =
    user.data && factors ? reauthWays({ ...user.data, factors }, supportsPasskeys(), singleSignOn !== undefined) : []
  const way = chosen ?? ways[0]
  const isSame = (other: ReauthWay) => JSON.stringify(other) === JSON.stringify(way)

  return (
    <Dialog
      open={open}
      onClose={onCancel}
      title="Confirm it's you"
      description={question?.text ?? "Please confirm it's you. We won't ask again on this device for 10 minutes."}
    >
      <div className="grid gap-4 pt-2">
        {failed && <QueryError query={user.isError ? user : list} />}
        {ways.length === 0 && !failed && <Skeleton className="h-20" />}
        {way?.kind === 'singleSignOn' && singleSignOn ? (
          <SingleSignOnStep leave={singleSignOn} onCancel={onCancel} />
        ) : (
          way && <WayForm key={JSON.stringify(way)} way={way} onVerified={onVerified} onCancel={onCancel} />
        )}
        {ways.length > 1 && (
          <div className="grid gap-1 border-t border-line pt-4">
            <p className="text-muted">Other ways</p>
            <div className="-mx-2.5 grid justify-items-start">
              {ways
                .filter((other) => !isSame(other))
                .map((other) => (
                  <Button key={wayText(other)} variant="ghost" size="sm" onClick={() => setChosen(other)}>
                    {wayText(other)}
                  </Button>
                ))}
            </div>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** The factors that an error lists: a single sign-on session only learns which factors can reauthenticate it. */
function factorsOf(error: unknown): FactorsToProve['factors'] | undefined {
  if (errorCode(error) !== 'REAUTHENTICATION_NEEDED' || !(error instanceof ORPCError)) return undefined
  return (error.data as FactorsToProve | undefined)?.factors
}

function SingleSignOnStep({ leave, onCancel }: { leave: () => Promise<void>; onCancel: () => void }) {
  const leaving = useMutation({ mutationFn: leave })
  usePageRestored(leaving.reset)
  return (
    <div className="grid gap-4">
      {leaving.isError && (
        <Callout tone="bad">{errorText(leaving.error, "We couldn't start single sign-on. Please try again.")}</Callout>
      )}
      <StepButtons onCancel={onCancel}>
        <Button
          variant="primary"
          autoFocus
          loading={leaving.isPending || leaving.isSuccess}
          onClick={() => leaving.mutate()}
        >
          Continue with single sign-on
        </Button>
      </StepButtons>
    </div>
  )
}

interface WayFormProps {
  way: ReauthWay
  onVerified: () => void
  onCancel: () => void
}

function WayForm({ way, ...rest }: WayFormProps) {
  switch (way.kind) {
    case 'singleSignOn':
      return null
    case 'password':
      return <PasswordStep {...rest} />
    case 'totp':
      return (
        <CodeStep
          {...rest}
          hint="The 6-digit code from your authenticator app."
          prove={(code) => verifyWithAny(way.factorIds, code)}
        />
      )
    case 'passkey':
      return <PasskeyStep {...rest} factorId={way.factorId} />
    case 'email':
      return <EmailCodeStep {...rest} />
  }
}

type Answers = Omit<WayFormProps, 'way'>

function PasswordStep({ onVerified, onCancel }: Answers) {
  const state = useSession()
  const form = useForm({ resolver: contractResolver(account.reauthenticate), defaultValues: { password: '' } })
  const prove = useMutation({
    mutationFn: (input: { password?: string }) => client.account.reauthenticate(input),
    onSuccess: onVerified,
    onError: (error) => form.setError('password', { message: errorText(error) }, { shouldFocus: true }),
  })
  return (
    <StepForm onSubmit={form.handleSubmit((values) => prove.mutate(values))} onCancel={onCancel} busy={prove.isPending}>
      {/* Tells password managers which account this is. */}
      <input hidden readOnly autoComplete="username" value={state.status === 'signed-in' ? state.user.email : ''} />
      <Field label="Password" error={form.formState.errors.password?.message} required>
        <PasswordInput autoFocus autoComplete="current-password" {...form.register('password')} />
      </Field>
    </StepForm>
  )
}

interface CodeStepProps extends Answers {
  hint: string
  prove: (code: string) => Promise<unknown>
  more?: ReactNode
}

function CodeStep({ hint, prove, more, onVerified, onCancel }: CodeStepProps) {
  const form = useForm({ defaultValues: { code: '' } })
  const proving = useMutation({
    mutationFn: prove,
    onSuccess: onVerified,
    onError: (error) => form.setError('code', { message: codeProblem(error) }, { shouldFocus: true }),
  })
  return (
    <StepForm
      onSubmit={form.handleSubmit(({ code }) => proving.mutate(code))}
      onCancel={onCancel}
      busy={proving.isPending}
      more={more}
    >
      <Field label="Code" hint={hint} error={form.formState.errors.code?.message} required>
        <Input
          autoFocus
          autoComplete="one-time-code"
          inputMode="numeric"
          spellCheck={false}
          maxLength={50}
          {...form.register('code', { validate: (code) => code.trim() !== '' || 'Please enter the code' })}
        />
      </Field>
    </StepForm>
  )
}

function EmailCodeStep({ onVerified, onCancel }: Answers) {
  const state = useSession()
  const email = state.status === 'signed-in' ? state.user.email : 'you'
  const send = useMutation({ mutationFn: () => client.account.reauthenticate({}) })
  const ticket = send.data?.ticket
  if (!ticket) {
    return (
      <div className="grid gap-4">
        {send.isError && <Callout tone="bad">{errorText(send.error)}</Callout>}
        <p>
          We'll email a code to <strong className="break-all">{email}</strong>.
        </p>
        <StepButtons onCancel={onCancel}>
          <Button variant="primary" autoFocus loading={send.isPending} onClick={() => send.mutate()}>
            {send.isPending ? 'Sending…' : 'Email me a code'}
          </Button>
        </StepButtons>
      </div>
    )
  }
  return (
    <CodeStep
      onVerified={onVerified}
      onCancel={onCancel}
      hint={`The 8-digit code we emailed to ${email}. It expires in 10 minutes.`}
      prove={(code) => client.account.reauthenticate({ ticket, code })}
      more={
        <Button variant="ghost" onClick={() => send.mutate()}>
          Send another
        </Button>
      }
    />
  )
}

function PasskeyStep({ factorId, onVerified, onCancel }: Answers & { factorId: string }) {
  const prove = useMutation({
    async mutationFn() {
      const { options } = await client.secondFactors.challenge({ id: factorId })
      await client.secondFactors.verify({ id: factorId, credential: await signWithPasskey(options) })
      session.announce('MFA_CHALLENGE_VERIFIED')
    },
    onSuccess: onVerified,
  })
  return (
    <div className="grid gap-4">
      {prove.isError && <Callout tone="bad">{codeProblem(prove.error)}</Callout>}
      <p>Your browser will ask for your passkey.</p>
      <StepButtons onCancel={onCancel}>
        <Button variant="primary" autoFocus loading={prove.isPending} onClick={() => prove.mutate()}>
          Use the passkey
        </Button>
      </StepButtons>
    </div>
  )
}

interface StepFormProps {
  onSubmit: () => void
  onCancel: () => void
  busy: boolean
  more?: ReactNode
  children: ReactNode
}

function StepForm({ onSubmit, onCancel, busy, more, children }: StepFormProps) {
  return (
    <Form name={null} onSubmit={onSubmit}>
      {children}
      <StepButtons onCancel={onCancel}>
        {more}
        <Button type="submit" variant="primary" loading={busy}>
          {busy ? 'Confirming…' : 'Confirm'}
        </Button>
      </StepButtons>
    </Form>
  )
}

function StepButtons({ onCancel, children }: { onCancel: () => void; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      {children}
    </div>
  )
}

/** Tries the code with each authenticator app. */
async function verifyWithAny(ids: string[], code: string): Promise<void> {
  for (const [index, id] of ids.entries()) {
    try {
      await client.secondFactors.verify({ id, code })
      session.announce('MFA_CHALLENGE_VERIFIED')
      return
    } catch (error) {
      if (errorCode(error) !== 'INVALID_CODE' || index === ids.length - 1) throw error
    }
  }
}

function codeProblem(error: unknown): string {
  if (error instanceof DOMException) return "The passkey wasn't used. Try again, or choose another way."
  if (errorCode(error) === 'INVALID_CODE') return 'This code is invalid or has expired.'
  return errorText(error)
}
