import { useQuery } from '@tanstack/react-query'
import type { Invitation } from '@x-automated/contract/identity/people'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { Avatar } from '../../../ui/avatar'
import { Badge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { Td, Tr } from '../../../ui/table'
import { useAction } from '../../../use-action'
import { InviteDialog } from './invite-dialog'
import { ROLES } from './role-text'

/** Invites someone, unless the plan includes only one person. For admins only. */
export function Inviting() {
  const [isInviting, setInviting] = useState(false)
  const { data } = useQuery(api.people.listInvitations.queryOptions())
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">Invitations expire after 7 days.</p>
        <Button
          icon={<UserPlus aria-hidden />}
          disabled={!data || data.planLimit !== null}
          onClick={() => setInviting(true)}
        >
          Invite
        </Button>
      </div>
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
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}

/** An invitation's row in the table of people. */
export function InvitationRow({ invitation, mayResend }: { invitation: Invitation; mayResend: boolean }) {
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
    <Tr>
      <Td>
        <span className="flex min-w-0 items-center gap-3">
          <Avatar name={email} size="sm" />
          <span className="grid min-w-0">
            <span className="font-strong wrap-anywhere">{email}</span>
            <span className="text-muted">
              Invited{invitedBy && ` by ${invitedBy}`}, expires <DateTime value={expiresAt} precision="day" />
            </span>
          </span>
        </span>
      </Td>
      <Td label="Role">
        <Badge>{ROLES[role].name}</Badge>
      </Td>
      <Td label="Since">
        <DateTime value={sentAt} precision="day" />
      </Td>
      <Td end>
        <span className="flex gap-1 md:justify-end">
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
        </span>
      </Td>
    </Tr>
  )
}
