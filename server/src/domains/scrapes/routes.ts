import { signedInApi } from '../../operations.ts'
import { cancel, create, estimateFor, find, list, resume, scrape, view } from './service.ts'

export const scrapeRoutes = {
  scrape: signedInApi.scrapes.scrape.handler(({ context, input, signal }) =>
    scrape(context, context.actor, input, signal),
  ),
  create: signedInApi.scrapes.create.handler(({ context, input }) => create(context, context.actor, input)),
  estimate: signedInApi.scrapes.estimate.handler(({ context, input }) => estimateFor(context, context.actor, input)),
  list: signedInApi.scrapes.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: signedInApi.scrapes.find.handler(async ({ context, input }) =>
    view(await find(context.db, context.actor, input.id)),
  ),
  cancel: signedInApi.scrapes.cancel.handler(({ context, input }) => cancel(context.db, context.actor, input.id)),
  resume: signedInApi.scrapes.resume.handler(({ context, input }) => resume(context, context.actor, input.id)),
}
