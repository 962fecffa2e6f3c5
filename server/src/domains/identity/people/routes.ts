import { admin, anyone, owner, viewer } from '../../../operations.ts'
import { switchWorkspace } from '../auth/switch-workspace.ts'
import { accept, findReceived, invite, list as listInvitations, resend, revoke } from './invitations.ts'
import { leave, list, remove, rename, transfer, update } from './members.ts'

export const peopleRoutes = {
  list: viewer.people.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  update: admin.people.update.handler(({ context, input }) => update(context, context.actor, input)),
  remove: admin.people.remove.handler(({ context, input }) => remove(context, context.actor, input)),
  leave: viewer.people.leave.handler(({ context, input }) => leave(context, context.actor, input)),
  transfer: owner.people.transfer.handler(({ context, input }) => transfer(context, context.actor, input)),
  rename: admin.people.rename.handler(({ context, input }) => rename(context.db, context.actor, input)),
  switch: viewer.people.switch.handler(({ context, input }) => switchWorkspace(context, context.actor, input)),
  listInvitations: admin.people.listInvitations.handler(({ context }) => listInvitations(context, context.actor)),
  invite: admin.people.invite.handler(({ context, input }) => invite(context, context.actor, input)),
  resend: admin.people.resend.handler(({ context, input }) => resend(context, context.actor, input.id)),
  revoke: admin.people.revoke.handler(({ context, input }) => revoke(context.db, context.actor, input.id)),
  findInvitation: anyone.people.findInvitation.handler(({ context, input }) => findReceived(context, input)),
  accept: viewer.people.accept.handler(({ context, input }) => accept(context, context.actor, input)),
}
