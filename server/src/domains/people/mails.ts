import { safeName } from '@x-automated/contract/fields'
import { type GivenRole, INVITATION_DAYS } from '@x-automated/contract/people'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'
import { ROLE_WORDS } from './rules.ts'

/** Asks somebody into a workspace. The same whether the address has an account or not. */
export function invitationEmail(
  to: string,
  { role, link, ...names }: { workspace: string; invitedBy: string; role: GivenRole; link: string },
): Email {
  const [workspace, invitedBy] = [safeName(names.workspace), safeName(names.invitedBy)]
  return renderEmail(to, {
    subject: `Join ${workspace} on X-Automated`,
    lines: [
      `${invitedBy} invites you to the workspace ${workspace} as ${ROLE_WORDS[role]}.`,
      `Log in, or sign up, with this address (${to}) to accept.`,
    ],
    action: { label: 'See the invitation', link },
    closing: `The link works once, for ${INVITATION_DAYS} days. If you do not know who this is, ignore this mail and nothing happens.`,
  })
}

/** Tells the former and the new owner of a workspace that it changed hands. */
export function ownerChangedMail(
  to: string,
  facts: { workspace: string; from: string; by: string; link: string; supportEmail: string },
): Email {
  const [workspace, from, by] = [facts.workspace, facts.from, facts.by].map(safeName)
  const { link, supportEmail } = facts
  return renderEmail(to, {
    subject: `${workspace} has a new owner`,
    lines: [`${from} made ${by} the owner of the workspace ${workspace}: billing and deletion are theirs from now on.`],
    action: { label: 'See who is in the workspace', link },
    closing: `If that should not be, write to the new owner, or to our support: ${supportEmail}`,
  })
}

/** Tells somebody that they were taken out of a workspace. */
export function removedMail(to: string, { link, ...names }: { workspace: string; link: string }): Email {
  const workspace = safeName(names.workspace)
  return renderEmail(to, {
    subject: `You are no longer in ${workspace}`,
    lines: [
      `An admin took you out of the workspace ${workspace} on X-Automated. Your account and your own workspace stay.`,
    ],
    action: { label: 'Open X-Automated', link },
    closing: 'If you think that is a mistake, ask an admin of that workspace.',
  })
}
