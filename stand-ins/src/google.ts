import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { openOpenIdStore } from './openid-provider/store.ts'
import { serveOpenId } from './openid-provider.ts'

export type GoogleOptions = {
  /** 0 (the default) takes a free one. */
  port?: number
  /** Where keys, sign-ins and tokens are kept. Without it they die with the process. */
  stateDir?: string
  clientId?: string
  clientSecret?: string
}

export type Google = { url: string; port: number; clientId: string; clientSecret: string; close(): Promise<void> }

/** Starts a stand-in for Google's OpenID provider, `serveOpenId` as Google sets it up. `url` is the issuer. */
export async function startGoogle(options: GoogleOptions = {}): Promise<Google> {
  const { port = 0, stateDir, clientId = 'x-automated', clientSecret = 'x-automated-google-secret' } = options
  const store = openOpenIdStore(stateDir && join(stateDir, 'google.jsonl'))
  const app = loopbackServer()
  try {
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

/** As Google's: 21 digits, the same for an address each time. */
function subjectOf(email: string): string {
  return `1${(createHash('sha256').update(email).digest().readBigUInt64BE() % 10n ** 20n).toString().padStart(20, '0')}`
}
