import { isId, NO_ID } from '@x-automated/contract/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contextOf } from '../api.ts'
import { finishOpenIdSignIn, finishSamlSignIn, leave, metadataOf } from '../domains/identity/sso/service.ts'
import type { Services } from '../services.ts'

type OfWorkspace = { Params: { workspaceId: string } }

/**
 * Single sign-on: GET /api/auth/sso/leave (to the provider), GET …/oidc/{workspaceId}/callback and
 * POST …/saml/{workspaceId}/acs (back to our origin), and our SAML metadata.
 */
export async function serveSso(app: FastifyInstance, services: Services): Promise<void> {
  const contextFor = (request: FastifyRequest, reply: FastifyReply) =>
    contextOf(request, services, (name, value) => reply.header(name, value))
  const redirect = (reply: FastifyReply, address: string) =>
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(address, 303)
  const idOf = ({ workspaceId }: OfWorkspace['Params']) => (isId(workspaceId) ? workspaceId.toLowerCase() : NO_ID)

  app.get<{ Querystring: { request?: unknown } }>('/api/auth/sso/leave', async (request, reply) =>
    redirect(reply, await leave(contextFor(request, reply), textOf(request.query.request))),
  )

  app.get<OfWorkspace>('/api/auth/sso/oidc/:workspaceId/callback', async (request, reply) => {
    const callback = new URL(request.url, services.origin)
    return redirect(reply, await finishOpenIdSignIn(contextFor(request, reply), idOf(request.params), callback))
  })

  app.get<OfWorkspace>('/api/auth/sso/saml/:workspaceId/metadata', async (request, reply) => {
    const xml = await metadataOf(services, idOf(request.params))
    return reply.type('application/samlmetadata+xml; charset=utf-8').send(xml)
  })

  await app.register(async (posts) => {
    posts.removeAllContentTypeParsers()
    posts.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(body as string)),
    )
    posts.post<OfWorkspace>('/api/auth/sso/saml/:workspaceId/acs', async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const encoded = form.get('SAMLResponse') ?? ''
      return redirect(reply, await finishSamlSignIn(contextFor(request, reply), idOf(request.params), encoded))
    })
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
