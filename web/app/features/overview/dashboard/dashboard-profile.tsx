import { formatDate } from '@x-automated/contract/format'
import { LogOut } from 'lucide-react'
import type { User } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { Button } from '../../../ui/button'
import { useSignOut } from '../shell/use-sign-out'

interface DashboardProfileProps {
  user: User
  /** ISO 8601; undefined if unknown. */
  signupDate: string | undefined
  loading: boolean
}

export function DashboardProfile({ user, signupDate, loading }: DashboardProfileProps) {
  const signOut = useSignOut()
  return (
    <div className="flex flex-wrap items-center gap-4">
      <Avatar name={user.email} size="lg" />
      <div className="grid min-w-40 flex-1">
        <p className="text-base font-strong wrap-anywhere">{user.email.replace(/@.*$/, '')}</p>
        <p className="text-muted wrap-anywhere">{user.email}</p>
        <p className="min-h-5 text-muted">
          {loading ? (
            <span className="animate-appear">Loading your dashboard...</span>
          ) : (
            signupDate && (
              <>
                Member since <time dateTime={signupDate}>{formatDate(signupDate, { dateStyle: 'long' })}</time>
              </>
            )
          )}
        </p>
      </div>
      <Button size="sm" icon={<LogOut aria-hidden />} onClick={signOut}>
        Sign Out
      </Button>
    </div>
  )
}
