import { publicApi, signedInApi } from '../../operations.ts'
import {
  endSession,
  findUser,
  listSessions,
  reauthenticate,
  recover,
  resend,
  resetPassword,
  sendCode,
  updateUser,
  verifyCode,
} from './service.ts'

export const accountRoutes = {
  recover: publicApi.account.recover.handler(({ context, input }) => recover(context, input)),
  resetPassword: publicApi.account.resetPassword.handler(({ context, input }) => resetPassword(context, input)),
  resend: publicApi.account.resend.handler(({ context, input }) => resend(context, input)),
  sendCode: publicApi.account.sendCode.handler(({ context, input }) => sendCode(context, input)),
  verifyCode: publicApi.account.verifyCode.handler(({ context, input }) => verifyCode(context, input)),
  findUser: signedInApi.account.findUser.handler(({ context }) => findUser(context.db, context.actor)),
  updateUser: signedInApi.account.updateUser.handler(({ context, input }) => updateUser(context, context.actor, input)),
  reauthenticate: signedInApi.account.reauthenticate.handler(({ context, input }) =>
    reauthenticate(context, context.actor, input),
  ),
  listSessions: signedInApi.account.listSessions.handler(({ context }) => listSessions(context.db, context.actor)),
  endSession: signedInApi.account.endSession.handler(({ context, input }) =>
    endSession(context, context.actor, input.id),
  ),
}
