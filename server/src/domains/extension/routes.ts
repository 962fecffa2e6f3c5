import { publicApi, signedInApi } from '../../operations.ts'
import { createCode, list, pair, report, unpair } from './service.ts'

const api = signedInApi.extension

export const extensionRoutes = {
  list: api.list.handler(({ context }) => list(context.db, context.actor, context.extensionVersion)),
  createCode: api.createCode.handler(({ context }) => createCode(context.db, context.actor)),
  pair: publicApi.extension.pair.handler(({ context, input }) => pair(context, input)),
  report: api.report.handler(({ context, input: { sendsAlone, sendsInBackground = sendsAlone ?? false, ...rest } }) =>
    report(context, context.actor, { ...rest, sendsInBackground }, context.extensionVersion),
  ),
  unpair: api.unpair.handler(async ({ context }) => {
    await unpair(context, context.actor, context.actor.sessionId)
    return { success: true as const }
  }),
  remove: api.remove.handler(({ context, input }) => unpair(context, context.actor, input.id)),
}
