import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ClientMetadata, JWK, Provider } from 'oidc-provider'
import type { OpenIdStore } from './openid-provider/store.ts'
import { signInPage } from './page.ts'

/** The differences between providers. */
type OpenIdSettings = {
  /** The provider's name on its page. */
  name: string
  store: OpenIdStore
  client: ClientMetadata & { client_id: string }
  /** Returns the subject of an address: always the same one. */
  subjectOf(email: string): string
  /** Adds claims to the id_token, as Google does, and not only to the userinfo response. */
  claimsInIdToken: boolean
  /** The routes that the provider serves. */
  paths: string[]
}

/**
 * Serves an OpenID provider (oidc-provider) that accepts any address. README.md lists addresses with
 * a special meaning.
 * @returns a function to call with the issuer, once it is known
 */
export async function serveOpenId(app: FastifyInstance, settings: OpenIdSettings): Promise<(issuer: string) => void> {
  const { name, store, subjectOf } = settings
  await app.register(formbody)
  let startProvider = async (): Promise<Provider | null> => null

  // The provider parses its own bodies. We only parse the form on the page.
  await app.register(async (protocol) => {
    protocol.removeAllContentTypeParsers()
    protocol.addContentTypeParser('*', (_request, _body, done) => done(null))
    const handle = async (request: FastifyRequest, reply: FastifyReply) => {
      // Drops the session, because developers sign in as different people in the same browser.
      const { headers } = request.raw
      if (headers.cookie) headers.cookie = headers.cookie.replace(/(^|;\s*)_session(\.legacy)?(\.sig)?=[^;]*/g, '')
      const provider = await startProvider()
      reply.hijack()
      void provider?.callback()(request.raw, reply.raw)
    }
    for (const path of settings.paths) protocol.all(path, handle)
  })
  const interaction = async (request: FastifyRequest, reply: FastifyReply) =>
    (await startProvider())?.interactionDetails(request.raw, reply.raw).catch(() => null) ?? null
  const page = (reply: FastifyReply, details: { uid: string; params: Record<string, unknown> }, refused?: string) =>
    signInPage(reply, {
      name,
      action: `/signin/${details.uid}`,
      appUrl: String(details.params.redirect_uri),
      typed: refused ?? String(details.params.login_hint ?? ''),
      isRefused: refused !== undefined,
    })

  app.get('/signin/:uid', async (request, reply) => {
    const details = await interaction(request, reply)
    return details ? page(reply, details) : expired(reply)
  })

  app.post('/signin/:uid', async (request, reply) => {
    const provider = await startProvider()
    const details = await interaction(request, reply)
    if (!details || !provider) return expired(reply)
    const fields = (request.body ?? {}) as { email?: unknown; decision?: unknown }
    const email = String(fields.email ?? '')
      .trim()
      .toLowerCase()
    if (fields.decision === 'cancel') {
      const result = { error: 'access_denied', error_description: 'The person declined.' }
      return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
    }
    if (!isAddress(email)) return page(reply, details, email)
    if (email.startsWith('error')) {
      const result = { error: 'server_error', error_description: `Something went wrong at ${name}.` }
      return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
    }
    store.rememberPerson(subjectOf(email), email)
    const result = { login: { accountId: subjectOf(email) }, select_account: {} }
    return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
  })

  return (issuer) => {
    let started: Promise<Provider> | undefined
    startProvider = () => (started ??= createProvider(issuer, settings))
  }
}

/** Whether the text looks like an email address. */
export function isAddress(email: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
}

/** Creates the provider. Loads oidc-provider only now: it takes 20 MB, and most starts don't need it. */
async function createProvider(issuer: string, { store, client, claimsInIdToken }: OpenIdSettings): Promise<Provider> {
  const { default: Provider, interactionPolicy } = await import('oidc-provider')
  const { cookieKey, jwk } = store.secrets(() => ({
    cookieKey: randomBytes(32).toString('base64url'),
    jwk: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  }))
  const policy = interactionPolicy.base()
  policy.remove('consent')
  // Like Google, asks for the account even if the user is signed in.
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  const provider = new Provider(issuer, {
    adapter: store.adapter,
    clients: [client],
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
    conformIdTokenClaims: !claimsInIdToken,
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
    // Signing in counts as consent.
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
  // The product may use any loopback port.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => URL.canParse(uri) && isLoopback(new URL(uri).hostname)
  return provider
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host)
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
