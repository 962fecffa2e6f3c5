import { isId, NO_ID } from '@x-automated/contract/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contextOf } from '../api.ts'
import { confirmEmailChange } from '../domains/identity/account/email-change.ts'
import { openConfirmation } from '../domains/identity/auth/sign-up.ts'
import { finishAuthorize } from '../domains/identity/identities/identities.ts'
import { metadataOf } from '../domains/identity/sso/connections.ts'
import { finishOpenIdSignIn, finishSamlSignIn, leave } from '../domains/identity/sso/sign-in.ts'
import {
  AUTHORIZATION_COOKIE,
  CALLBACK_PATH,
  finishAuthorize as connectX,
} from '../domains/platform/x-account/connecting.ts'
import { confirmMember } from '../domains/waitlist/waitlist/waitlist.ts'
import { Refusal } from '../refusal.ts'
import type { RequestContext } from '../requests/context.ts'
import { cookieIn } from '../requests/cookie.ts'
import type { Services } from '../services.ts'
import { ignoreBodies, PRIVATE, textOf, type WithToken } from './emailed-forms.ts'

type OfWorkspace = WithToken & { Params: { workspaceId: string } }
type Request = FastifyRequest<OfWorkspace>

/** Serves emailed links and callbacks of other services. Each redirects to a page, always on our own origin. */
export async function serveRedirects(app: FastifyInstance, services: Services): Promise<void> {
  const { origin } = services
  const redirect =
    (pageOf: (context: RequestContext, request: Request, reply: FastifyReply) => Promise<string>, status = 302) =>
    async (request: Request, reply: FastifyReply) => {
      const page = await pageOf(contextOf(services, request, reply), request, reply)
      return reply.headers(PRIVATE).redirect(new URL(page, origin).href, status)
    }
  const callbackOf = (request: Request) => new URL(request.url, origin)
  // HEAD must not use up a token.
  const once = { exposeHeadRoute: false }

  app.get<OfWorkspace>(
    '/api/auth/verify-email',
    once,
    redirect(async (context, { query }) => {
      const token = textOf(query.token)
      const opened = await openConfirmation(context, { token, cookies: context.request.cookies }).catch(codeOf)
      if (typeof opened === 'string') return `/auth/callback?error=${opened}`
      if (opened.outcome === 'confirmed') return `/auth/callback?code=${opened.code}`
      // The token is in the fragment, which is not sent to servers or in Referer headers.
      return opened.outcome === 'confirmed before' ? '/auth/callback?confirmed=before' : `/auth/confirm#${token}`
    }),
  )
  app.get<OfWorkspace>(
    '/api/waitlist/confirm',
    redirect(async (context, { query }) => {
      const refused = await confirmMember(context, textOf(query.token)).catch(codeOf)
      return refused ? `/waitlist?error=${refused}` : '/waitlist?confirmed=true'
    }),
  )
  app.get<OfWorkspace>(
    '/api/auth/callback/google',
    redirect((context, request) => finishAuthorize(context, callbackOf(request))),
  )
  app.get<OfWorkspace>(
    CALLBACK_PATH,
    redirect(async (context, request, reply) => {
      const cookie = cookieIn(context.request.cookies, AUTHORIZATION_COOKIE)
      reply.header('set-cookie', `${AUTHORIZATION_COOKIE}=; Path=${CALLBACK_PATH}; Max-Age=0; HttpOnly; SameSite=Lax`)
      return `/twitter?x=${await connectX(context, callbackOf(request), cookie)}`
    }),
  )
  app.get<OfWorkspace>(
    '/api/auth/sso/leave',
    redirect((context, { query }) => leave(context, textOf(query.request)), 303),
  )
  app.get<OfWorkspace>(
    '/api/auth/sso/oidc/:workspaceId/callback',
    redirect((context, request) => finishOpenIdSignIn(context, workspaceIn(request), callbackOf(request)), 303),
  )
  app.get<OfWorkspace>('/api/auth/sso/saml/:workspaceId/metadata', async (request, reply) =>
    reply.type('application/samlmetadata+xml; charset=utf-8').send(await metadataOf(services, workspaceIn(request))),
  )
  await app.register(async (posts) => {
    posts.removeAllContentTypeParsers()
    posts.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(body as string)),
    )
    posts.post<OfWorkspace>(
      '/api/auth/sso/saml/:workspaceId/acs',
      redirect((context, request) => {
        const response = request.body instanceof URLSearchParams ? request.body.get('SAMLResponse') : null
        return finishSamlSignIn(context, workspaceIn(request), response ?? '')
      }, 303),
    )
  })
  await app.register(async (posts) => {
    ignoreBodies(posts)
    posts.post<OfWorkspace>(
      '/api/auth/change-email',
      redirect(async (context, { query }) => {
        const outcome = await confirmEmailChange(context, textOf(query.token)).catch(
          (error) => codeOf(error) && 'error',
        )
        return `/account?emailChange=${outcome}`
      }, 303),
    )
  })
}

function codeOf(error: unknown) {
  if (error instanceof Refusal) return error.code
  throw error
}

function workspaceIn({ params: { workspaceId } }: Request): string {
  return isId(workspaceId) ? workspaceId.toLowerCase() : NO_ID
}
