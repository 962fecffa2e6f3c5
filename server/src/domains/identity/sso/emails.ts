import { nameInBody, nameInSubject } from '@x-automated/contract/fields'
import type { Email } from '../../../emails/email.ts'

export interface ConnectionChange {
  kind: 'set up' | 'changed' | 'removed'
  workspace: string
  /** Whether existing links stop working. */
  endsLinks: boolean
  origin: string
}

/** Emails the owner and everyone who linked single sign-on that the identity provider has changed. */
export function connectionChangedEmail(
  { email, isOwner, isLinked }: { email: string; isOwner: boolean; isLinked: boolean },
  change: ConnectionChange,
): Email {
  const { kind, endsLinks, origin } = change
  const workspace = nameInBody(change.workspace)
  const consequence = isLinked
    ? endsLinks
      ? `You can no longer sign in with it, and its sessions have ended. Log in with your password or an emailed code${kind === 'removed' ? '' : ', then link it again on your account page'}.`
      : 'Your link to it still works.'
    : endsLinks && kind !== 'removed'
      ? 'Members who linked it have to link it again.'
      : null
  return {
    to: email,
    subject: `Single sign-on for ${nameInSubject(change.workspace, 'your workspace')} was ${kind}`,
    lines: [
      isOwner
        ? `You ${kind} the identity provider of ${workspace}, the workspace you own.`
        : `The owner ${kind} the identity provider of the workspace ${workspace}.`,
      ...(consequence ? [consequence] : []),
    ],
    action: isOwner
      ? { label: 'Review single sign-on', link: `${origin}/settings?tab=single-sign-on` }
      : { label: 'Review sign-in methods', link: `${origin}/account#sign-in` },
    closing: isOwner
      ? "If this wasn't you, change your password and sign out all other devices."
      : "If you didn't expect this, ask the workspace owner.",
  }
}
