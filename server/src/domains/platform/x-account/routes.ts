import { admin, member, viewer } from '../../../operations.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { AUTHORIZATION_COOKIE, authorize, CALLBACK_PATH, connectWithPassword } from './connecting.ts'
import { disconnect, disconnectOne } from './disconnecting.ts'
import { check, choose, list, status } from './x-account.ts'

export const xAccountRoutes = {
  status: viewer.xAccount.status.handler(({ context }) => status(context, context.actor)),
  connect: admin.xAccount.connect.handler(({ context, input }) =>
    connectWithPassword(context, context.actor, input, context.remember),
  ),
  authorize: admin.xAccount.authorize.handler(async ({ context }) => {
    const { url, cookie } = await authorize(context, context.actor)
    context.setHeader('set-cookie', authorizationCookie(context, cookie))
    return { url }
  }),
  disconnect: admin.xAccount.disconnect.handler(({ context }) => disconnect(context, context.actor)),
  list: viewer.xAccount.list.handler(async ({ context }) => {
    const { accounts, ...rest } = await list(context.db, context.actor)
    return { accounts: accounts.map((account) => context.pictures.withUrl(account)), ...rest }
  }),
  choose: admin.xAccount.choose.handler(async ({ context, input }) =>
    context.pictures.withUrl(await choose(context.db, context.actor, input.id)),
  ),
  check: member.xAccount.check.handler(async ({ context, input }) =>
    context.pictures.withUrl(await check(context, context.actor, input.id)),
  ),
  disconnectOne: admin.xAccount.disconnectOne.handler(({ context, input }) =>
    disconnectOne(context, context.actor, input.id),
  ),
}

/** Builds the cookie of an authorization, for the callback only. SameSite=Lax, because the navigation starts at X. */
function authorizationCookie({ origin }: Pick<RequestContext, 'origin'>, value: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${AUTHORIZATION_COOKIE}=${value}; Path=${CALLBACK_PATH}; Max-Age=600; HttpOnly; SameSite=Lax${secure}`
}
