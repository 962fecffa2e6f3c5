import { anyone, member, viewer } from '../../../operations.ts'
import { createCode, list, pair, readPages, report, unpair } from './pairings.ts'

export const extensionRoutes = {
  list: viewer.extension.list.handler(({ context }) => list(context.db, context.actor, context.extensionVersion)),
  createCode: member.extension.createCode.handler(({ context }) => createCode(context.db, context.actor)),
  pair: anyone.extension.pair.handler(({ context, input }) => pair(context, input)),
  report: viewer.extension.report.handler(
    ({ context, input: { sendsAlone, sendsInBackground = sendsAlone ?? false, ...rest } }) =>
      report(context, context.actor, { ...rest, sendsInBackground }, context.extensionVersion),
  ),
  pages: anyone.extension.pages.handler(({ context }) => readPages(context.extensionPages)),
  unpair: viewer.extension.unpair.handler(async ({ context }) => {
    await unpair(context, context.actor, context.actor.sessionId)
    return { success: true as const }
  }),
  remove: viewer.extension.remove.handler(({ context, input }) => unpair(context, context.actor, input.id)),
}
