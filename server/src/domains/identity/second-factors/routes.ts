import { anyone, viewer } from '../../../operations.ts'
import {
  challenge,
  enrol,
  list,
  remove,
  removeByMailbox,
  rename,
  renewRecoveryCodes,
  signIn,
  signInChallenge,
  verify,
} from './service.ts'

export const secondFactorRoutes = {
  list: viewer.secondFactors.list.handler(({ context }) => list(context.db, context.actor)),
  enrol: viewer.secondFactors.enrol.handler(({ context, input }) => enrol(context, context.actor, input)),
  challenge: viewer.secondFactors.challenge.handler(({ context, input }) =>
    challenge(context, context.actor, input.id),
  ),
  verify: viewer.secondFactors.verify.handler(({ context, input }) => verify(context, context.actor, input)),
  rename: viewer.secondFactors.rename.handler(({ context, input }) => rename(context.db, context.actor, input)),
  remove: viewer.secondFactors.remove.handler(({ context, input }) => remove(context, context.actor, input.id)),
  removeByMailbox: anyone.secondFactors.removeByMailbox.handler(({ context, input }) =>
    removeByMailbox(context, input),
  ),
  renewRecoveryCodes: viewer.secondFactors.renewRecoveryCodes.handler(({ context }) =>
    renewRecoveryCodes(context, context.actor),
  ),
  signInChallenge: anyone.secondFactors.signInChallenge.handler(({ context, input }) =>
    signInChallenge(context, input),
  ),
  signIn: anyone.secondFactors.signIn.handler(({ context, input }) => signIn(context, input)),
}
