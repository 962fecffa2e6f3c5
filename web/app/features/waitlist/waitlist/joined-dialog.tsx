import { formatNumber } from '@x-automated/contract/format'
import { ArrowUp, UserPlus } from 'lucide-react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { OpenMail } from '../../identity/auth/open-mail'
import type { JoinedPlaceProps } from './joined-place'
import { ReferralLink } from './referral-link'
import { referralLinks } from './referral-links'

interface JoinedDialogProps extends JoinedPlaceProps, ControlledDialogProps {
  title: string
  /** Whether the email that confirms the address was just sent. */
  isNew: boolean
}

/** Confirms a join and shows how to move up. */
export function JoinedDialog({ title, isNew, place: entry, referralCount, ...dialog }: JoinedDialogProps) {
  return (
    <Dialog
      {...dialog}
      title={title}
      description={entry.email}
      footer={
        <Button variant="primary" onClick={dialog.onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-5 pt-2">
        <p className="rounded-lg border border-accent-edge bg-accent-soft px-4 py-6 text-center" data-numeric>
          <span className="block text-muted">Your position</span>
          <strong className="text-5xl">#{formatNumber(entry.position)}</strong>
        </p>
        <ul className="grid gap-2 text-base">
          <li className="flex items-center gap-2.5" data-numeric>
            <UserPlus aria-hidden className="size-4 text-muted" />
            <span>Referrals: {formatNumber(referralCount)}</span>
          </li>
          <li className="flex items-center gap-2.5">
            <ArrowUp aria-hidden className="size-4 text-muted" />
            Move up 5 spots per referral
          </li>
        </ul>
        {isNew && (
          <div className="grid gap-2">
            <p>We've emailed you a link. Confirm your address, so that we can reach you when it's your turn.</p>
            <OpenMail email={entry.email} variant="secondary" />
          </div>
        )}
        <ReferralLink link={referralLinks.waitlist(location.origin, entry.referralCode)} />
      </div>
    </Dialog>
  )
}
