import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { openOpenIdStore } from './openid-provider/store.ts'
import { serveOpenId } from './openid-provider.ts'

type GoogleOptions = {
  /** Defaults to any free port. */
  port?: number
  /** Folder for keys, sessions and tokens; in memory if unset. */
  stateDir?: string
  clientId?: string
  clientSecret?: string
}

export type Google = Awaited<ReturnType<typeof startGoogle>>

/** Starts a stand-in for Google's OpenID provider. `url` is the issuer. */
export async function startGoogle(options: GoogleOptions = {}) {
  const { port = 0, stateDir, clientId = 'x-automated', clientSecret = 'x-automated-google-secret' } = options
  const store = openOpenIdStore(stateDir && join(stateDir, 'google.jsonl'))
  const app = loopbackServer()
  app.addHook('onClose', async () => store.close())
  const startProvider = await serveOpenId(app, {
    name: 'Google',
    store,
    client: {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: ['http://localhost/api/auth/callback/google'],
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_post',
    },
    subjectOf,
    claimsInIdToken: true,
    paths: ['/*', '/'],
  })
  const address = await listenOnLoopback(app, port)
  startProvider(address.url)
  return { ...address, clientId, clientSecret, close: () => app.close() }
}

/** Returns an address's subject, which never changes. Like Google's, it has 21 digits. */
function subjectOf(email: string): string {
  return `1${(createHash('sha256').update(email).digest().readBigUInt64BE() % 10n ** 20n).toString().padStart(20, '0')}`
}
