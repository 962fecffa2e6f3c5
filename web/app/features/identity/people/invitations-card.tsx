import { useQuery } from '@tanstack/react-query'
import type { Invitation } from '@x-automated/contract/identity/people'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { InviteDialog } from './invite-dialog'
import { ROLES } from './role-text'

/** Pending invitations, and inviting. Admins only. */
export function InvitationsCard() {
  const [isInviting, setInviting] = useState(false)
  const list = useQuery(api.people.listInvitations.queryOptions())
  const { data } = list
  return (
    <Card
      title="Invitations"
      description="Invitations expire after 7 days."
      actions={
        <Button
          icon={<UserPlus aria-hidden />}
          disabled={!data || data.planLimit !== null}
          onClick={() => setInviting(true)}
        >
          Invite
        </Button>
      }
    >
      <div className="grid gap-4">
        {data?.planLimit && (
          <Callout
            title="Your plan includes one person"
            action={
              <ButtonLink size="sm" to={paths.billing}>
                See plans
              </ButtonLink>
            }
          >
            {data.planLimit} Current members keep access.
          </Callout>
        )}
        {list.isError && !data ? (
          <QueryError query={list} fallback="Failed to load the invitations. Please try again." />
        ) : !data ? (
          <SkeletonText lines={2} />
        ) : data.invitations.length === 0 ? (
          <p className="text-muted">No pending invitations.</p>
        ) : (
          <ul aria-label="Pending invitations" className="grid divide-y divide-line">
            {data.invitations.map((invitation) => (
              <Row key={invitation.id} invitation={invitation} mayResend={data.planLimit === null} />
            ))}
          </ul>
        )}
      </div>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Card>
  )
}

function Row({ invitation, mayResend }: { invitation: Invitation; mayResend: boolean }) {
  const { id, email, role, invitedBy, sentAt, expiresAt } = invitation
  const resend = useAction(() => client.people.resend({ id }), {
    done: `New link sent to ${email}.`,
    refetches: [api.people],
  })
  const revoke = useAction(() => client.people.revoke({ id }), {
    question: {
      title: `Revoke the invitation for ${email}?`,
      body: 'The emailed link will stop working. You can invite them again.',
      confirm: 'Revoke',
      danger: true,
    },
    done: `Invitation for ${email} revoked.`,
    refetches: [api.people],
  })
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="grid min-w-0 flex-1 basis-60">
        <span className="font-strong wrap-anywhere">{email}</span>
        <span className="text-muted">
          {ROLES[role].name}, sent <DateTime value={sentAt} precision="day" />
          {invitedBy && ` by ${invitedBy}`}, expires <DateTime value={expiresAt} precision="day" />
        </span>
      </div>
      <div className="flex gap-2">
        <Button
          size="sm"
          disabled={!mayResend}
          loading={resend.isPending}
          aria-label={`Resend to ${email}`}
          onClick={() => resend.run()}
        >
          Resend
        </Button>
        <Button
          size="sm"
          loading={revoke.isPending}
          aria-label={`Revoke the invitation for ${email}`}
          onClick={() => revoke.run()}
        >
          Revoke
        </Button>
      </div>
    </li>
  )
}
