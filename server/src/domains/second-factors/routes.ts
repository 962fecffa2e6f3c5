import { publicApi, signedInApi } from '../../operations.ts'
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
  list: signedInApi.secondFactors.list.handler(({ context }) => list(context.db, context.actor)),
  enrol: signedInApi.secondFactors.enrol.handler(({ context, input }) => enrol(context, context.actor, input)),
  challenge: signedInApi.secondFactors.challenge.handler(({ context, input }) =>
    challenge(context, context.actor, input.id),
  ),
  verify: signedInApi.secondFactors.verify.handler(({ context, input }) => verify(context, context.actor, input)),
  rename: signedInApi.secondFactors.rename.handler(({ context, input }) => rename(context.db, context.actor, input)),
  remove: signedInApi.secondFactors.remove.handler(({ context, input }) => remove(context, context.actor, input.id)),
  removeByMailbox: publicApi.secondFactors.removeByMailbox.handler(({ context, input }) =>
    removeByMailbox(context, input),
  ),
  renewRecoveryCodes: signedInApi.secondFactors.renewRecoveryCodes.handler(({ context }) =>
    renewRecoveryCodes(context, context.actor),
  ),
  signInChallenge: publicApi.secondFactors.signInChallenge.handler(({ context, input }) =>
    signInChallenge(context, input),
  ),
  signIn: publicApi.secondFactors.signIn.handler(({ context, input }) => signIn(context, input)),
}
