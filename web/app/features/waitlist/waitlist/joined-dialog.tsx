import { formatNumber } from '@x-automated/contract/format'
import { ArrowUp, UserPlus } from 'lucide-react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import type { JoinedPlaceProps } from './joined-place'
import { ReferralLink } from './referral-link'
import { referralLinks } from './referral-links'

interface JoinedDialogProps extends JoinedPlaceProps {
  open: boolean
  onClose: () => void
  title: string
}

/** Confirms a join and shows how to move up. */
export function JoinedDialog({ open, onClose, title, place: entry, referralCount }: JoinedDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={entry.email}
      footer={
        <Button variant="primary" onClick={onClose}>
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
