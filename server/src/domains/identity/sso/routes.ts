import { admin, anyone, owner, viewer } from '../../../operations.ts'
import * as sso from './service.ts'

export const ssoRoutes = {
  begin: anyone.sso.begin.handler(({ context, input }) => sso.begin(context, input)),
  listOwn: viewer.sso.listOwn.handler(({ context }) => sso.listOwn(context.db, context.actor)),
  beginLink: viewer.sso.beginLink.handler(({ context, input }) => sso.beginLink(context, context.actor, input)),
  find: admin.sso.find.handler(({ context }) => sso.find(context, context.actor)),
  save: owner.sso.save.handler(({ context, input }) => sso.save(context, context.actor, input)),
  remove: owner.sso.remove.handler(({ context }) => sso.remove(context, context.actor)),
  test: admin.sso.test.handler(({ context }) => sso.test(context, context.actor)),
  addDomain: admin.sso.addDomain.handler(({ context, input }) => sso.addDomain(context.db, context.actor, input)),
  verifyDomain: admin.sso.verifyDomain.handler(({ context, input }) =>
    sso.verifyDomain(context, context.actor, input.id),
  ),
  removeDomain: admin.sso.removeDomain.handler(({ context, input }) =>
    sso.removeDomain(context.db, context.actor, input.id),
  ),
}
