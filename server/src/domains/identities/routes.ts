import { publicApi, signedInApi } from '../../operations.ts'
import { authorize, authorizeLink, link, list, listProviders, signInIdToken, unlink } from './service.ts'

export const identityRoutes = {
  listProviders: publicApi.identities.listProviders.handler(({ context }) => listProviders(context)),
  authorize: publicApi.identities.authorize.handler(({ context, input }) => authorize(context, input)),
  signInIdToken: publicApi.identities.signInIdToken.handler(({ context, input }) => signInIdToken(context, input)),
  list: signedInApi.identities.list.handler(({ context }) => list(context.db, context.actor)),
  authorizeLink: signedInApi.identities.authorizeLink.handler(({ context, input }) =>
    authorizeLink(context, context.actor, input),
  ),
  link: signedInApi.identities.link.handler(({ context, input }) => link(context, context.actor, input)),
  unlink: signedInApi.identities.unlink.handler(({ context, input }) => unlink(context, context.actor, input.id)),
}
