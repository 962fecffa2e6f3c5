import type { InputOf } from '@x-automated/contract/contract'
import { type Actor, roleAllows } from '../../../actor.ts'
import { member, viewer } from '../../../operations.ts'
import { Refusal } from '../../../refusal.ts'
import { look } from './looks.ts'
import { cancel, create, estimateFor, find, histogram, list, resume, scrape, view } from './scrapes.ts'

/** Rejects credentials from anyone but admins, because they connect an X account. @throws Refusal FORBIDDEN */
function requireAdminToConnect(
  { role }: Actor,
  { credentials }: Pick<InputOf<'scrapes', 'create'>, 'credentials'>,
): void {
  if (credentials && !roleAllows(role, 'admin')) throw new Refusal('FORBIDDEN')
}

export const scrapeRoutes = {
  scrape: member.scrapes.scrape.handler(async ({ context, input, signal }) => {
    requireAdminToConnect(context.actor, input)
    return context.pictures.withUrls(await scrape(context, context.actor, input, signal))
  }),
  create: member.scrapes.create.handler(({ context, input }) => {
    requireAdminToConnect(context.actor, input)
    return create(context, context.actor, input)
  }),
  estimate: member.scrapes.estimate.handler(({ context, input }) => estimateFor(context, context.actor, input)),
  look: member.scrapes.look.handler(({ context, input }) => look(context, context.actor, input)),
  list: viewer.scrapes.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: viewer.scrapes.find.handler(async ({ context, input }) =>
    view(await find(context.db, context.actor, input.id)),
  ),
  handles: viewer.scrapes.handles.handler(async ({ context, input }) => ({
    handles: (await find(context.db, context.actor, input.id)).handles ?? [],
  })),
  histogram: viewer.scrapes.histogram.handler(({ context, input }) => histogram(context.db, context.actor, input.id)),
  cancel: member.scrapes.cancel.handler(({ context, input }) => cancel(context.db, context.actor, input.id)),
  resume: member.scrapes.resume.handler(({ context, input }) => resume(context, context.actor, input.id)),
}
