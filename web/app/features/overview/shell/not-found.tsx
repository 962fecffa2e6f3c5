import { Link } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { SupportLine } from './support-line'

export function NotFound() {
  const carry = useCarriedReferral()
  return (
    <div className="page-width flex min-h-[70dvh] flex-col items-center justify-center gap-3 text-center">
      <h1 className="text-3xl">404 - Page Not Found</h1>
      <p className="max-w-sm text-base text-muted">
        This page doesn't exist. It may have moved, or the link may have a typo.
      </p>
      <Link to={carry(paths.home)} className="text-link pt-1 text-base">
        Back to Home
      </Link>
      <SupportLine />
    </div>
  )
}
