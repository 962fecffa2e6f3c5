import { anyone, viewer } from '../../../operations.ts'
import { findUser, updateUser } from './account.ts'
import { reauthenticate } from './proof.ts'
import { recover, resend, resetPassword, sendCode, verifyCode } from './recovery.ts'
import { endSession, listSessions } from './sessions.ts'

export const accountRoutes = {
  recover: anyone.account.recover.handler(({ context, input }) => recover(context, input)),
  resetPassword: anyone.account.resetPassword.handler(({ context, input }) => resetPassword(context, input)),
  resend: anyone.account.resend.handler(({ context, input }) => resend(context, input)),
  sendCode: anyone.account.sendCode.handler(({ context, input }) => sendCode(context, input)),
  verifyCode: anyone.account.verifyCode.handler(({ context, input }) => verifyCode(context, input)),
  findUser: viewer.account.findUser.handler(({ context }) => findUser(context.db, context.actor)),
  updateUser: viewer.account.updateUser.handler(({ context, input }) => updateUser(context, context.actor, input)),
  reauthenticate: viewer.account.reauthenticate.handler(({ context, input }) =>
    reauthenticate(context, context.actor, input),
  ),
  listSessions: viewer.account.listSessions.handler(({ context }) => listSessions(context.db, context.actor)),
  endSession: viewer.account.endSession.handler(({ context, input }) => endSession(context, context.actor, input.id)),
}
