import { nameInBody, nameInSubject } from '@x-automated/contract/fields'
import { type AssignableRole, INVITATION_DAYS } from '@x-automated/contract/identity/people'
import type { Email } from '../../../emails/email.ts'
import { ROLE_NAMES } from './rules.ts'

/** Invites an address to a workspace. The text is the same whether or not it has an account. */
export function invitationEmail(
  to: string,
  { role, link, ...names }: { workspace: string; invitedBy: string; role: AssignableRole; link: string },
): Email {
  const [workspace, invitedBy] = [nameInBody(names.workspace), nameInBody(names.invitedBy)]
  return {
    to,
    subject: `Join ${nameInSubject(names.workspace, 'a workspace')} on X-Automated`,
    lines: [
      `${invitedBy} invited you to the workspace ${workspace} as ${ROLE_NAMES[role]}.`,
      `To accept, log in or sign up with this address (${to}).`,
    ],
    action: { label: 'View invitation', link },
    closing: `The link works once, within ${INVITATION_DAYS} days. Don't know the sender? You can ignore this email.`,
  }
}

/** Notifies the former and the new owner of a transferred workspace. */
export function ownerChangedEmail(
  to: string,
  facts: { workspace: string; from: string; by: string; link: string; supportEmail: string },
): Email {
  const [workspace, from, by] = [facts.workspace, facts.from, facts.by].map(nameInBody)
  const { link, supportEmail } = facts
  return {
    to,
    subject: `${nameInSubject(facts.workspace, 'Your workspace')} has a new owner`,
    lines: [`${from} made ${by} the owner of the workspace ${workspace}. The owner controls billing and deletion.`],
    action: { label: 'View members', link },
    closing: `Didn't expect this? Contact the new owner or our support: ${supportEmail}`,
  }
}

/** Notifies a person that an admin removed them from a workspace. */
export function removedEmail(to: string, { link, ...names }: { workspace: string; link: string }): Email {
  const workspace = nameInBody(names.workspace)
  return {
    to,
    subject: `You are no longer in ${nameInSubject(names.workspace, 'a workspace')}`,
    lines: [
      `An admin removed you from the workspace ${workspace} on X-Automated. You keep your account and your own workspace.`,
    ],
    action: { label: 'Open X-Automated', link },
    closing: 'If you think this is a mistake, contact an admin of that workspace.',
  }
}
