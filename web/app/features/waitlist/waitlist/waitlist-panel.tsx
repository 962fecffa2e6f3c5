import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral, useReferralCode } from '../../../referral-code'
import { useStoredPlace } from '../../../stored-place'
import { cn } from '../../../ui/cn'
import { NeedsScript } from '../../../ui/needs-script'
import { useHydrated } from '../../../ui/use-hydrated'
import { ForReferred } from './for-referred'
import { googleFlag } from './google-flag'
import { GoogleJoin } from './google-join'
import { JoinedDialog } from './joined-dialog'
import { JoinedPlace, useCurrentPlace } from './joined-place'
import { useGoogleReturn } from './use-google-return'
import { WaitlistForm } from './waitlist-form'

/** Before hydration, hides the form from members but keeps its space (startup-script.ts). */
const unseenByMembers =
  '[[data-waitlist=stored]_&]:invisible [[data-waitlist=stored]_&]:min-h-68 max-sm:[[data-waitlist=stored]_&]:min-h-90'

/** The form or, if someone joined in this browser, their position. */
export function WaitlistPanel() {
  const referralCode = useReferralCode()
  const carry = useCarriedReferral()
  const entry = useStoredPlace()
  const hydrated = useHydrated()
  const { referralCount } = useCurrentPlace(entry)
  useGoogleReturn()
  const [dialog, setDialog] = useState({ open: false, title: '', isNew: false })

  // Someone returned from Google with a position: confirm it once.
  const isMember = entry !== null
  useEffect(() => {
    if (!isMember || !googleFlag.isSet()) return
    googleFlag.clear()
    setDialog({ open: true, title: "You're on the waitlist!", isNew: false })
  }, [isMember])

  return (
    <section
      aria-label="Join the waitlist"
      // Not centered, because the form would move while the page arrives in pieces.
      className={cn(
        'grid min-h-64 gap-5 rounded-xl border border-line bg-surface p-6 shadow-md sm:p-8',
        entry ? 'content-center' : 'content-start',
      )}
    >
      {entry ? (
        <JoinedPlace place={entry} referralCount={referralCount} />
      ) : (
        <div className={cn('grid gap-5', !hydrated && unseenByMembers)}>
          <ForReferred code={referralCode}>
            <p className="text-muted">A friend invited you. When you join, they move up 5 spots.</p>
          </ForReferred>
          <NeedsScript />
          <WaitlistForm
            referralCode={referralCode}
            onJoined={(isNew) =>
              setDialog({
                open: true,
                title: isNew ? "You're on the waitlist!" : "You're already on the waitlist",
                isNew,
              })
            }
          />
          <GoogleJoin referralCode={referralCode} />
          <p className="text-muted">
            Already joined?{' '}
            <Link to={carry(paths.rankings)} className="text-link">
              Check your ranking
            </Link>
          </p>
          <p className="text-xs text-muted">
            By joining you agree to our{' '}
            <a href={paths.terms} className="underline">
              Terms of Service
            </a>{' '}
            and{' '}
            <a href={paths.privacy} className="underline">
              Privacy Policy
            </a>
            .
          </p>
        </div>
      )}
      {entry && (
        <JoinedDialog
          {...dialog}
          place={entry}
          referralCount={referralCount}
          onClose={() => setDialog((now) => ({ ...now, open: false }))}
        />
      )}
    </section>
  )
}
