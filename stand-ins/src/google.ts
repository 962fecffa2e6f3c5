import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Provider, { interactionPolicy, type JWK } from 'oidc-provider'
import { chooseAccountPage } from './google/page.ts'
import { type GoogleStore, openGoogleStore } from './google/store.ts'
import { listenOnLoopback, loopbackServer } from './loopback.ts'

export type GoogleOptions = {
  /** 0 (the default) takes a free one. */
  port?: number
  /** Where keys, sign-ins and tokens are kept. Without it they die with the process. */
  stateDir?: string
  clientId?: string
  clientSecret?: string
}

export type Google = { url: string; port: number; clientId: string; clientSecret: string; close(): Promise<void> }

/**
 * Starts a stand-in for Google's OpenID provider: a certified implementation (oidc-provider) behind a page on which any address may be typed.
 * `url` is the issuer. An address that begins with `unverified` is one that Google has not confirmed, with `noemail` none is given away,
 * and with `error` the sign-in ends in a fault of Google's.
 */
export async function startGoogle(options: GoogleOptions = {}): Promise<Google> {
  const { port = 0, stateDir, clientId = 'x-automated', clientSecret = 'x-automated-google-secret' } = options
  const store = openGoogleStore(stateDir && join(stateDir, 'google.jsonl'))
  const app = loopbackServer()
  await app.register(formbody)
  let provider: Provider | undefined

  // The provider reads bodies itself; only the page's own form is ours.
  await app.register(async (protocol) => {
    protocol.removeAllContentTypeParsers()
    protocol.addContentTypeParser('*', (_request, _body, done) => done(null))
    const answer = (request: FastifyRequest, reply: FastifyReply) => {
      // Every sign-in begins anew: on one machine people play many people.
      const { headers } = request.raw
      if (headers.cookie) headers.cookie = headers.cookie.replace(/(^|;\s*)_session(\.legacy)?(\.sig)?=[^;]*/g, '')
      reply.hijack()
      void provider?.callback()(request.raw, reply.raw)
    }
    protocol.all('/*', answer)
    protocol.all('/', answer)
  })
  const interaction = (request: FastifyRequest, reply: FastifyReply) =>
    provider?.interactionDetails(request.raw, reply.raw).catch(() => null) ?? null

  app.get('/signin/:uid', async (request, reply) => {
    const asked = await interaction(request, reply)
    return asked ? chooseAccountPage(reply, asked.uid, redirectOrigin(asked.params)) : expired(reply)
  })

  app.post('/signin/:uid', async (request, reply) => {
    const asked = await interaction(request, reply)
    if (!asked || !provider) return expired(reply)
    const fields = (request.body ?? {}) as { email?: unknown; decision?: unknown }
    const email = String(fields.email ?? '')
      .trim()
      .toLowerCase()
    if (fields.decision === 'cancel') {
      const result = { error: 'access_denied', error_description: 'The person declined.' }
      return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
    }
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
      return chooseAccountPage(reply, asked.uid, redirectOrigin(asked.params), email)
    if (email.startsWith('error')) {
      const result = { error: 'server_error', error_description: 'Something broke at Google.' }
      return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
    }
    store.rememberPerson(subjectOf(email), email)
    const result = { login: { accountId: subjectOf(email) }, select_account: {} }
    return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
  })

  try {
    const address = await listenOnLoopback(app, port)
    provider = createProvider(address.url, store, clientId, clientSecret)
    return {
      ...address,
      clientId,
      clientSecret,
      async close() {
        await app.close()
        store.close()
      },
    }
  } catch (error) {
    store.close()
    throw error
  }
}

function createProvider(issuer: string, store: GoogleStore, clientId: string, clientSecret: string): Provider {
  const { cookieKey, jwk } = store.secrets(() => ({
    cookieKey: randomBytes(32).toString('base64url'),
    jwk: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  }))
  const policy = interactionPolicy.base()
  policy.remove('consent')
  // As Google's: asks which account even where somebody is signed in already.
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  const provider = new Provider(issuer, {
    adapter: store.adapter,
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: ['http://localhost/api/auth/callback/google'],
        application_type: 'web',
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: {
      keys: [
        {
          ...(jwk as JWK),
          use: 'sig',
          alg: 'RS256',
          kid: createHash('sha256').update(String(jwk.n)).digest('hex').slice(0, 16),
        },
      ],
    },
    cookies: { keys: [cookieKey] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // As Google's, the id_token carries the claims.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, { uid }) => `/signin/${uid}` },
    pkce: { required: () => true },
    ttl: {
      Interaction: 3_600,
      Session: 86_400,
      Grant: 86_400,
      AccessToken: 3_600,
      IdToken: 3_600,
      AuthorizationCode: 60,
    },
    async findAccount(_ctx, sub) {
      const email = store.findPerson(sub)
      if (!email) return undefined
      return {
        accountId: sub,
        claims: () => ({
          sub,
          name: nameOf(email),
          ...(email.startsWith('noemail') ? {} : { email, email_verified: !email.startsWith('unverified') }),
        }),
      }
    },
    // Signing in is consenting.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId,
        accountId: ctx.oidc.session?.accountId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  // The product may listen on any port of this machine.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => URL.canParse(uri) && isLoopback(new URL(uri).hostname)
  return provider
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host)
}

/** Browsers hold the redirect after a form to form-action too, so the app's own origin must stand in it. */
function redirectOrigin(params: Record<string, unknown>): string {
  return new URL(String(params.redirect_uri)).origin
}

/** As Google's: 21 digits, the same for an address each time. */
function subjectOf(email: string): string {
  return `1${(createHash('sha256').update(email).digest().readBigUInt64BE() % 10n ** 20n).toString().padStart(20, '0')}`
}

function nameOf(email: string): string {
  const [local = ''] = email.split('@')
  return local
    .split(/[._-]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ')
}

function expired(reply: FastifyReply) {
  return reply.code(400).type('text/plain; charset=utf-8').send('This sign-in has expired. Go back and start again.')
}
