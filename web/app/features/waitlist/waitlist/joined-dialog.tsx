import { formatNumber } from '@x-automated/contract/format'
import { ArrowUp, UserPlus } from 'lucide-react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import type { JoinedPlaceProps } from './joined-place'
import { ReferralLink } from './referral-link'
import { referralLinks } from './referral-links'

interface JoinedDialogProps extends JoinedPlaceProps, ControlledDialogProps {
  title: string
}

/** Confirms a join and shows how to move up. */
export function JoinedDialog({ title, place: entry, referralCount, ...dialog }: JoinedDialogProps) {
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
        <ReferralLink link={referralLinks.waitlist(location.origin, entry.referralCode)} />
      </div>
    </Dialog>
  )
}
