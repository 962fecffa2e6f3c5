import { publicApi, signedInApi } from '../../operations.ts'
import { exchangeCode, findMe, refresh, signIn, signOut, signUp } from './service.ts'

export const authRoutes = {
  signUpEmail: publicApi.auth.signUpEmail.handler(({ context, input }) => signUp(context, input)),
  signInEmail: publicApi.auth.signInEmail.handler(({ context, input }) => signIn(context, input)),
  exchange: publicApi.auth.exchange.handler(({ context, input }) => exchangeCode(context, input)),
  refresh: publicApi.auth.refresh.handler(({ context, input }) => refresh(context, input)),
  signOut: signedInApi.auth.signOut.handler(({ context, input }) => signOut(context, context.actor, input.scope)),
  jwks: publicApi.auth.jwks.handler(async ({ context }) => ({
    keys: (await context.auth.publicKeys()).keys as unknown as Record<string, unknown>[],
  })),
  me: signedInApi.auth.me.handler(({ context }) => findMe(context, context.actor)),
}
