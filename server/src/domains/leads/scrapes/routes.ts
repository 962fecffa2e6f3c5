import { member, viewer } from '../../../operations.ts'
import { cancel, create, estimateFor, find, list, resume, scrape, view } from './service.ts'

export const scrapeRoutes = {
  scrape: member.scrapes.scrape.handler(({ context, input, signal }) => scrape(context, context.actor, input, signal)),
  create: member.scrapes.create.handler(({ context, input }) => create(context, context.actor, input)),
  estimate: member.scrapes.estimate.handler(({ context, input }) => estimateFor(context, context.actor, input)),
  list: viewer.scrapes.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: viewer.scrapes.find.handler(async ({ context, input }) =>
    view(await find(context.db, context.actor, input.id)),
  ),
  cancel: member.scrapes.cancel.handler(({ context, input }) => cancel(context.db, context.actor, input.id)),
  resume: member.scrapes.resume.handler(({ context, input }) => resume(context, context.actor, input.id)),
}
