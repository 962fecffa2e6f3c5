import { publicApi, signedInApi } from '../../operations.ts'
import {
  addDomain,
  begin,
  beginLink,
  find,
  listOwn,
  remove,
  removeDomain,
  save,
  test,
  verifyDomain,
} from './service.ts'

export const ssoRoutes = {
  begin: publicApi.sso.begin.handler(({ context, input }) => begin(context, input)),
  listOwn: signedInApi.sso.listOwn.handler(({ context }) => listOwn(context.db, context.actor)),
  beginLink: signedInApi.sso.beginLink.handler(({ context, input }) => beginLink(context, context.actor, input)),
  find: signedInApi.sso.find.handler(({ context }) => find(context, context.actor)),
  save: signedInApi.sso.save.handler(({ context, input }) => save(context, context.actor, input)),
  remove: signedInApi.sso.remove.handler(({ context }) => remove(context, context.actor)),
  test: signedInApi.sso.test.handler(({ context }) => test(context, context.actor)),
  addDomain: signedInApi.sso.addDomain.handler(({ context, input }) => addDomain(context.db, context.actor, input)),
  verifyDomain: signedInApi.sso.verifyDomain.handler(({ context, input }) =>
    verifyDomain(context, context.actor, input.id),
  ),
  removeDomain: signedInApi.sso.removeDomain.handler(({ context, input }) =>
    removeDomain(context.db, context.actor, input.id),
  ),
}
