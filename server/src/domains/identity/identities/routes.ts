import { anyone, viewer } from '../../../operations.ts'
import { authorize, authorizeLink, link, list, listProviders, signInIdToken, unlink } from './identities.ts'

export const identityRoutes = {
  listProviders: anyone.identities.listProviders.handler(({ context }) => listProviders(context)),
  authorize: anyone.identities.authorize.handler(({ context, input }) => authorize(context, input)),
  signInIdToken: anyone.identities.signInIdToken.handler(({ context, input }) => signInIdToken(context, input)),
  list: viewer.identities.list.handler(({ context }) => list(context.db, context.actor)),
  authorizeLink: viewer.identities.authorizeLink.handler(({ context, input }) =>
    authorizeLink(context, context.actor, input),
  ),
  link: viewer.identities.link.handler(({ context, input }) => link(context, context.actor, input)),
  unlink: viewer.identities.unlink.handler(({ context, input }) => unlink(context, context.actor, input.id)),
}
