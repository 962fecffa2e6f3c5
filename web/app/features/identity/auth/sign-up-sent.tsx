import { useMutation } from '@tanstack/react-query'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useSecondsUntil } from '../../../ui/use-seconds-until'
import { OpenMail } from './open-mail'

/** An email takes a while, and an address gets few of them. */
const RESEND_AFTER_MS = 30_000

/** Takes over the focus from the form, which is no longer shown. Outside the component, so that it runs only once. */
const focus = (sent: HTMLElement | null) => sent?.focus()

interface SignUpSentProps {
  email: string
  onOtherEmail: () => void
}

/** Says where the confirmation link was sent, opens that mailbox, and sends the link again. */
export function SignUpSent({ email, onOtherEmail }: SignUpSentProps) {
  const [sentAtMs, setSentAtMs] = useState(Date.now)
  const secondsLeft = useSecondsUntil(sentAtMs + RESEND_AFTER_MS)
  const resend = useMutation(api.account.resend.mutationOptions({ onSuccess: () => setSentAtMs(Date.now()) }))
  return (
    <div className="grid justify-items-center gap-5 rounded-lg border border-line p-6 text-center">
      <span className="flex size-12 items-center justify-center rounded-full bg-accent text-accent-ink">
        <MailCheck aria-hidden className="size-6" />
      </span>
      <div className="grid gap-2">
        <p
          ref={focus}
          tabIndex={-1}
          // Without the countdown below, which would be announced every second.
          role="status"
          className="text-base outline-none"
        >
          Almost there! Check your email for a confirmation link to complete your registration.
        </p>
        <p className="text-muted">
          Sent to <strong className="break-all text-ink">{email}</strong>. The link works for 24 hours.
        </p>
      </div>
      <OpenMail email={email} />
      <div className="grid w-full justify-items-center gap-3 border-t border-hair pt-5">
        <p className="text-muted">Nothing there? Look in your spam folder first.</p>
        {resend.isError && <Callout tone="bad">{errorText(resend.error)}</Callout>}
        <div className="flex flex-wrap justify-center gap-2">
          <Button
            size="sm"
            // A disabled button would lose the focus.
            aria-disabled={secondsLeft > 0 || undefined}
            loading={resend.isPending}
            onClick={() => secondsLeft === 0 && resend.mutate({ email })}
          >
            {secondsLeft === 0 || resend.isPending ? (
              'Send it again'
            ) : (
              <span data-numeric>{`${resend.isSuccess ? 'Sent. Again' : 'Send it again'} in ${secondsLeft} s`}</span>
            )}
          </Button>
          <Button size="sm" variant="ghost" onClick={onOtherEmail}>
            Use a different email
          </Button>
        </div>
      </div>
    </div>
  )
}
