import { publicApi, signedInApi } from '../../operations.ts'
import { switchWorkspace } from '../auth/service.ts'
import { leave, list, remove, rename, transfer, update } from './service.ts'
import { accept, findReceived, invite, list as listInvitations, resend, revoke } from './service-invitations.ts'

export const peopleRoutes = {
  list: signedInApi.people.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  update: signedInApi.people.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: signedInApi.people.remove.handler(({ context, input }) => remove(context, context.actor, input.id)),
  leave: signedInApi.people.leave.handler(({ context }) => leave(context.db, context.actor)),
  transfer: signedInApi.people.transfer.handler(({ context, input }) => transfer(context, context.actor, input)),
  rename: signedInApi.people.rename.handler(({ context, input }) => rename(context.db, context.actor, input)),
  switch: signedInApi.people.switch.handler(({ context, input }) => switchWorkspace(context, context.actor, input)),
  listInvitations: signedInApi.people.listInvitations.handler(({ context }) =>
    listInvitations(context.db, context.actor),
  ),
  invite: signedInApi.people.invite.handler(({ context, input }) => invite(context, context.actor, input)),
  resend: signedInApi.people.resend.handler(({ context, input }) => resend(context, context.actor, input.id)),
  revoke: signedInApi.people.revoke.handler(({ context, input }) => revoke(context.db, context.actor, input.id)),
  findInvitation: publicApi.people.findInvitation.handler(({ context, input }) => findReceived(context, input)),
  accept: signedInApi.people.accept.handler(({ context, input }) => accept(context.db, context.actor, input)),
}
