import { anyone, viewer } from '../../../operations.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { findMe } from './caller.ts'
import { refresh } from './refresh.ts'
import { signOut } from './sessions.ts'
import { exchangeCode, signIn } from './sign-in.ts'
import { confirmEmail, signUp } from './sign-up.ts'

export const authRoutes = {
  signUpEmail: anyone.auth.signUpEmail.handler(async ({ context, input }) => {
    const { answer: result, cookie } = await signUp(context, input)
    context.setHeader('set-cookie', signUpCookie(context, cookie))
    return result
  }),
  confirmEmail: anyone.auth.confirmEmail.handler(({ context, input }) =>
    confirmEmail(context, { ...input, cookies: context.request.cookies }),
  ),
  signInEmail: anyone.auth.signInEmail.handler(({ context, input }) => signIn(context, input)),
  exchange: anyone.auth.exchange.handler(({ context, input }) => exchangeCode(context, input)),
  refresh: anyone.auth.refresh.handler(({ context, input }) => refresh(context, input)),
  signOut: viewer.auth.signOut.handler(({ context, input }) => signOut(context, context.actor, input.scope)),
  jwks: anyone.auth.jwks.handler(async ({ context }) => ({
    keys: (await context.auth.publicKeys()).keys as unknown as Record<string, unknown>[],
  })),
  me: viewer.auth.me.handler(({ context }) => findMe(context, context.actor)),
}

/**
 * Builds the cookie of a sign-up, for the path of the emailed link. SameSite=Lax, because the
 * navigation starts in an email program.
 */
function signUpCookie(
  { origin }: Pick<RequestContext, 'origin'>,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=/api/auth/verify-email; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
