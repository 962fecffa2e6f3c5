import { safeName } from '@x-automated/contract/fields'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

export interface ConnectionChange {
  kind: 'set up' | 'changed' | 'removed'
  workspace: string
  /** Does everyone have to link it again? */
  endsLinks: boolean
  origin: string
}

/** Informs the owner, or somebody who has linked it, of a change of a workspace's identity provider. */
export function connectionChangedMail(
  { email, isOwner, isLinked }: { email: string; isOwner: boolean; isLinked: boolean },
  change: ConnectionChange,
): Email {
  const { kind, endsLinks, origin } = change
  const workspace = safeName(change.workspace)
  const consequence = isLinked
    ? endsLinks
      ? `You can no longer sign in with it, and its sessions have ended. Log in with your password or an emailed code${kind === 'removed' ? '' : ', then link it again on your account page'}.`
      : 'Your link to it still works.'
    : endsLinks && kind !== 'removed'
      ? 'Members who had linked it have to link it again.'
      : null
  return renderEmail(email, {
    subject: `Single sign-on for ${workspace} was ${kind}`,
    lines: [
      isOwner
        ? `You ${kind} the identity provider of ${workspace}, the workspace you own.`
        : `The owner ${kind} the identity provider of the workspace ${workspace}.`,
      ...(consequence ? [consequence] : []),
    ],
    action: isOwner
      ? { label: 'See single sign-on', link: `${origin}/settings?tab=single-sign-on` }
      : { label: 'See how you sign in', link: `${origin}/account#sign-in` },
    closing: isOwner
      ? 'If this was not you, change your password and end all other sessions.'
      : 'If you did not expect this, ask the owner of the workspace.',
  })
}
