import { anyone, viewer } from '../../../operations.ts'
import * as factors from './second-factors.ts'

export const secondFactorRoutes = {
  list: viewer.secondFactors.list.handler(({ context }) => factors.list(context.db, context.actor)),
  enrol: viewer.secondFactors.enrol.handler(({ context, input }) => factors.enrol(context, context.actor, input)),
  challenge: viewer.secondFactors.challenge.handler(({ context, input }) =>
    factors.challenge(context, context.actor, input.id),
  ),
  verify: viewer.secondFactors.verify.handler(({ context, input }) => factors.verify(context, context.actor, input)),
  rename: viewer.secondFactors.rename.handler(({ context, input }) => factors.rename(context.db, context.actor, input)),
  remove: viewer.secondFactors.remove.handler(({ context, input }) => factors.remove(context, context.actor, input.id)),
  removeByMailbox: anyone.secondFactors.removeByMailbox.handler(({ context, input }) =>
    factors.removeByMailbox(context, input),
  ),
  renewRecoveryCodes: viewer.secondFactors.renewRecoveryCodes.handler(({ context }) =>
    factors.renewRecoveryCodes(context, context.actor),
  ),
  signInChallenge: anyone.secondFactors.signInChallenge.handler(({ context, input }) =>
    factors.signInChallenge(context, input),
  ),
  signIn: anyone.secondFactors.signIn.handler(({ context, input }) => factors.signIn(context, input)),
}
