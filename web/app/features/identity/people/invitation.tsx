import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { ReauthCancelled, useReauthentication } from '../../../reauthentication'
import { saveReturnPath } from '../../../return-path'
import { session, useSession } from '../../../session'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { SkeletonText } from '../../../ui/skeleton'
import { ReauthProvider } from '../auth/reauth-provider'
import { asRole, roleSentence } from './role-text'
import { useSwitchWorkspace } from './use-switch-workspace'

/** Shows an invitation and accepts it. */
export function Invitation({ token }: { token: string }) {
  const invitation = useQuery(
    api.people.findInvitation.queryOptions({ input: { token }, staleTime: Number.POSITIVE_INFINITY }),
  )
  if (invitation.isError) {
    return errorCode(invitation.error) === 'INVITATION_NOT_FOUND' ? (
      <InvalidInvitation />
    ) : (
      <QueryError query={invitation} fallback="Failed to load the invitation. Please try again." />
    )
  }
  if (!invitation.data) return <SkeletonText lines={4} />
  const { workspaceName, invitedBy, role, email, expiresAt } = invitation.data
  return (
    <div className="grid gap-5">
      <p className="text-base wrap-anywhere">
        {invitedBy ?? 'An admin'} invites you to <strong>{workspaceName}</strong> {asRole(role)}.
      </p>
      <p className="-mt-3 text-muted">{roleSentence(role)}</p>
      <ReauthProvider>
        <Answer token={token} email={email} workspaceName={workspaceName} />
      </ReauthProvider>
      <p className="text-muted">
        For <span className="wrap-anywhere">{email}</span>, until{' '}
        <DateTime value={expiresAt} precision="day" endsSentence />
      </p>
    </div>
  )
}

function Answer({ token, email, workspaceName }: { token: string; email: string; workspaceName: string }) {
  const state = useSession()
  const switching = useSwitchWorkspace()
  const withReauthentication = useReauthentication()
  const accept = useMutation({
    mutationFn: () => withReauthentication(() => client.people.accept({ token })),
    onSuccess: ({ id }) => switching.mutate(id),
  })
  if (state.status === 'starting') return <SkeletonText lines={1} />
  const back = `${paths.invitation}#token=${token}`
  if (state.status === 'signed-out') {
    const remember = () => saveReturnPath(back)
    return (
      <div className="grid gap-2 sm:grid-cols-2">
        <ButtonLink to={paths.login} variant="primary" onClick={remember}>
          Log in
        </ButtonLink>
        <ButtonLink to={paths.signUp} onClick={remember}>
          Sign up
        </ButtonLink>
      </div>
    )
  }
  if (state.user.email !== email) {
    return (
      <Callout
        tone="warn"
        title="This invitation is for a different email address"
        action={
          <Button
            size="sm"
            onClick={() => {
              saveReturnPath(back)
              void session.signOut()
            }}
          >
            Sign out
          </Button>
        }
      >
        You're logged in as {state.user.email}. Log in as {email} to accept.
      </Callout>
    )
  }
  return (
    <div className="grid gap-3">
      {accept.isError && !(accept.error instanceof ReauthCancelled) && (
        <Callout tone="bad">{errorText(accept.error)}</Callout>
      )}
      <Button
        variant="primary"
        loading={accept.isPending || switching.isPending || switching.isSuccess}
        onClick={() => accept.mutate()}
      >
        Join {workspaceName}
      </Button>
    </div>
  )
}

/** Shown for incomplete, used, revoked or expired links. */
export function InvalidInvitation() {
  return (
    <div className="grid gap-4">
      <Callout tone="bad">This invitation was already used or revoked, or has expired. Ask for a new one.</Callout>
      <Link to={paths.home} className="text-link w-fit">
        Back to Home
      </Link>
    </div>
  )
}
