import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorCode, errorText } from '../../../api'
import { session } from '../../../session'
import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/copy-button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { QrCode } from './qr-code'

/** An authenticator app that has not been verified yet. */
export interface AuthenticatorSetup {
  id: string
  /** Base32, for typing. */
  secret: string
  /** An otpauth: URI, for scanning. */
  uri: string
}

interface EnrolAuthenticatorDialogProps {
  setup: AuthenticatorSetup | null
  onClose: () => void
  /** Called once the app is verified. @param recoveryCodes only for the account's first factor */
  onDone: (recoveryCodes: string[] | null) => void
}

/** Adds an authenticator app: scan, then verify with a code. */
export function EnrolAuthenticatorDialog({ setup, onClose, onDone }: EnrolAuthenticatorDialogProps) {
  // Kept, because the dialog still displays the setup while it closes.
  const [lastSetup, setLastSetup] = useState<AuthenticatorSetup | null>(null)
  if (setup && setup !== lastSetup) setLastSetup(setup)
  return (
    lastSetup && <Enrol key={lastSetup.id} open={setup !== null} setup={lastSetup} onClose={onClose} onDone={onDone} />
  )
}

interface EnrolProps extends EnrolAuthenticatorDialogProps {
  open: boolean
  setup: AuthenticatorSetup
}

function Enrol({ setup: { id, secret, uri }, onDone, ...dialog }: EnrolProps) {
  const formId = useId()
  const queries = useQueryClient()
  const form = useForm({ defaultValues: { code: '' } })
  const verify = useMutation({
    mutationFn: ({ code }: { code: string }) => client.secondFactors.verify({ id, code }),
    onSuccess({ recoveryCodes }) {
      session.announce('MFA_CHALLENGE_VERIFIED')
      void queries.invalidateQueries({ queryKey: api.secondFactors.key() })
      toast.success('Authenticator app added.')
      onDone(recoveryCodes)
    },
    onError(error) {
      const text =
        errorCode(error) === 'INVALID_CODE'
          ? "That code is wrong. Wait for the next one, and check your phone's clock."
          : errorText(error)
      form.setError('code', { message: text }, { shouldFocus: true })
    },
  })
  return (
    <Dialog
      {...dialog}
      title="Set up an authenticator app"
      description="Use Google Authenticator, 1Password, Authy or any other one-time code app."
      footer={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={verify.isPending}>
            {verify.isPending ? 'Verifying…' : 'Verify and turn on'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5 pt-2">
        <div className="grid justify-items-center gap-3">
          <QrCode text={uri} label="QR code for your authenticator app" />
          <p className="text-muted">Scan it with the app, or enter the key manually.</p>
        </div>
        <div className="flex items-end gap-2">
          <Field label="Key" className="min-w-0 flex-1">
            <Input
              readOnly
              value={secret}
              className="font-mono text-ellipsis"
              onFocus={(e) => e.currentTarget.select()}
            />
          </Field>
          <CopyButton text={secret} label="Copy key" />
        </div>
        <Form name={null} id={formId} onSubmit={form.handleSubmit((values) => verify.mutate(values))}>
          <Field
            label="Code"
            hint="The 6-digit code from the app."
            error={form.formState.errors.code?.message}
            required
          >
            <Input
              autoComplete="one-time-code"
              inputMode="numeric"
              maxLength={10}
              {...form.register('code', { validate: (code) => code.trim() !== '' || 'Please enter the code' })}
            />
          </Field>
        </Form>
      </div>
    </Dialog>
  )
}
