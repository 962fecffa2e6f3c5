import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Apps, isSame } from './apps.ts'
import { authorizePage, type Consent, problemPage } from './authorize-page.ts'
import { type Network, signedInBy } from './network.ts'
import { SCOPES } from './tokens.ts'

type Fields = Record<string, string | undefined>

/**
 * Adds OAuth 2.0 with PKCE at X's paths, its metadata (RFC 8414), and a password grant, which the
 * real X does not have.
 */
export function addOAuth(app: FastifyInstance, network: Network, apps: Apps) {
  app.get('/.well-known/oauth-authorization-server', async () => ({
    issuer: network.url(),
    authorization_endpoint: `${network.url()}/i/oauth2/authorize`,
    token_endpoint: `${network.url()}/2/oauth2/token`,
    revocation_endpoint: `${network.url()}/2/oauth2/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'password'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [apps.first.secret === undefined ? 'none' : 'client_secret_basic'],
  }))

  app.get('/i/oauth2/authorize', async (request, reply) => {
    const consent = consentOf(request.query as Fields)
    if (typeof consent === 'string') return problemPage(reply, consent)
    return authorizePage(reply, consent, request.query as Fields)
  })

  app.post('/i/oauth2/authorize', async (request, reply) => {
    const form = fieldsOf(request)
    const consent = consentOf(form)
    if (typeof consent === 'string') return problemPage(reply, consent)
    const back = new URL(consent.redirectUri)
    if (consent.state) back.searchParams.set('state', consent.state)
    if (form.decision !== 'allow') {
      back.searchParams.set('error', 'access_denied')
      return reply.redirect(back.href, 303)
    }
    const userId = signedInBy(network, form.username, form.password)
    if (userId === undefined) return authorizePage(reply, consent, form, true)
    const { clientId, redirectUri, scopes, challenge } = consent
    const code = network.tokens.issueCode({ userId, clientId, scopes, redirectUri, challenge })
    back.searchParams.set('code', code)
    return reply.redirect(back.href, 303)
  })

  app.post('/2/oauth2/token', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const form = fieldsOf(request)
    const clientId = clientOf(request, form)
    if (clientId === undefined) return noClient(reply)

    if (form.grant_type === 'authorization_code') {
      for (const name of ['code', 'redirect_uri', 'code_verifier']) {
        if (!form[name]) return refuse(reply, 'invalid_request', `Missing required parameter [${name}].`)
      }
      const { code = '', redirect_uri: redirectUri = '', code_verifier: verifier = '' } = form
      const tokens = network.tokens.redeemCode(code, clientId, redirectUri, verifier)
      return typeof tokens === 'string' ? refuse(reply, 'invalid_request', tokens) : tokens
    }
    if (form.grant_type === 'refresh_token') {
      if (!form.refresh_token) return refuse(reply, 'invalid_request', 'Missing required parameter [refresh_token].')
      const tokens = network.tokens.rotate(form.refresh_token, clientId)
      return tokens ?? refuse(reply, 'invalid_request', 'Value passed for the token was invalid.')
    }
    if (form.grant_type === 'password') {
      const scopes = scopesOf(form.scope ?? SCOPES.join(' '))
      if (!scopes) return refuse(reply, 'invalid_scope', `Value passed for the scope was invalid: ${form.scope}`)
      const userId = signedInBy(network, form.username, form.password)
      if (userId === undefined) return refuse(reply, 'invalid_grant', 'Wrong username or password.')
      return network.tokens.open(userId, clientId, scopes)
    }
    return refuse(reply, 'unsupported_grant_type', 'Value passed for the grant type was invalid.')
  })

  app.post('/2/oauth2/revoke', async (request, reply) => {
    const form = fieldsOf(request)
    const clientId = clientOf(request, form)
    if (clientId === undefined) return noClient(reply)
    if (!form.token) return refuse(reply, 'invalid_request', 'Missing required parameter [token].')
    network.tokens.revoke(form.token, clientId)
    return { revoked: true }
  })

  function consentOf(query: Fields): Consent | string {
    const client = apps.find(query.client_id)
    if (!client) return 'Unknown app: no app with this client_id is registered.'
    if (!isRedirect(query.redirect_uri)) return 'redirect_uri is not a web address.'
    if (query.response_type !== 'code') return 'response_type must be “code”.'
    if (query.code_challenge_method?.toUpperCase() !== 'S256') return 'code_challenge_method must be S256.'
    if (!/^[A-Za-z0-9_-]{43}$/.test(query.code_challenge ?? '')) return 'code_challenge is not a SHA-256 in base64url.'
    const scopes = scopesOf(query.scope ?? '')
    if (!scopes) return 'scope must name one or more of X’s scopes.'
    return {
      clientId: client.id,
      redirectUri: query.redirect_uri,
      state: query.state ?? '',
      scopes,
      challenge: query.code_challenge as string,
    }
  }

  /** Returns the id of the app that the request authenticates as, if any. */
  function clientOf(request: FastifyRequest, form: Fields): string | undefined {
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const [id = form.client_id, ...secret] =
      basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':').map(formDecoded)
    const client = apps.find(id)
    const isClient = basic === undefined ? client?.secret === undefined : isSame(secret.join(':'), client?.secret ?? '')
    return isClient ? client?.id : undefined
  }
}

function isRedirect(uri: string | undefined): uri is string {
  return uri !== undefined && URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol)
}

function scopesOf(text: string): string[] | undefined {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))]
  return scopes.length > 0 && scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))
    ? scopes
    : undefined
}

/** Returns the form's fields. Repeated fields are dropped. */
function fieldsOf(request: FastifyRequest): Fields {
  const body = typeof request.body === 'object' && request.body !== null ? request.body : {}
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'))
}

function refuse(reply: FastifyReply, error: string, description: string) {
  return reply.code(400).send({ error, error_description: description })
}

function noClient(reply: FastifyReply) {
  return reply.code(401).send({ error: 'unauthorized_client', error_description: 'Missing valid authorization header' })
}

/** Decodes a part of Basic credentials. OAuth form-encodes both parts before joining them (RFC 6749, 2.3.1). */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
