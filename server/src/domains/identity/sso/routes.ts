import { admin, anyone, owner, viewer } from '../../../operations.ts'
import { find, listOwn, remove, save, test } from './connections.ts'
import { addDomain, removeDomain, verifyDomain } from './domains.ts'
import { begin, beginLink } from './sign-in.ts'

export const ssoRoutes = {
  begin: anyone.sso.begin.handler(({ context, input }) => begin(context, input)),
  listOwn: viewer.sso.listOwn.handler(({ context }) => listOwn(context.db, context.actor)),
  beginLink: viewer.sso.beginLink.handler(({ context, input }) => beginLink(context, context.actor, input)),
  find: admin.sso.find.handler(({ context }) => find(context, context.actor)),
  save: owner.sso.save.handler(({ context, input }) => save(context, context.actor, input)),
  remove: owner.sso.remove.handler(({ context }) => remove(context, context.actor)),
  test: admin.sso.test.handler(({ context }) => test(context, context.actor)),
  addDomain: admin.sso.addDomain.handler(({ context, input }) => addDomain(context.db, context.actor, input)),
  verifyDomain: admin.sso.verifyDomain.handler(({ context, input }) => verifyDomain(context, context.actor, input.id)),
  removeDomain: admin.sso.removeDomain.handler(({ context, input }) =>
    removeDomain(context.db, context.actor, input.id),
  ),
}
