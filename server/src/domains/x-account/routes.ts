import { signedInApi } from '../../operations.ts'
import { connectWithPassword, disconnect, status } from './service.ts'

export const xAccountRoutes = {
  status: signedInApi.xAccount.status.handler(({ context }) => status(context, context.actor)),
  connect: signedInApi.xAccount.connect.handler(({ context, input }) =>
    connectWithPassword(context, context.actor, input, context.remember),
  ),
  disconnect: signedInApi.xAccount.disconnect.handler(({ context }) => disconnect(context, context.actor)),
}
