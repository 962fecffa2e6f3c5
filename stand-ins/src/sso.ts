import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { openOpenIdStore } from './openid-provider/store.ts'
import { serveOpenId } from './openid-provider.ts'
import { escaped, sendPage } from './page.ts'
import { startDns } from './sso/dns.ts'
import { type Lies, makeSigningKey, type SigningKey, serveSaml } from './sso/saml.ts'

type SsoOptions = {
  /** Defaults to any free port. */
  port?: number
  /** UDP port of the DNS resolver. */
  dnsPort?: number
  /** Folder for keys, sessions and DNS records; in memory if unset. */
  stateDir?: string
}

export type Sso = Awaited<ReturnType<typeof startSso>>

const CLIENT_ID = 'x-automated'
const CLIENT_SECRET = 'x-automated-sso-secret'

/** Starts a stand-in for an identity provider (OpenID Connect at its root, SAML 2.0 under /saml) and for its DNS. */
export async function startSso({ port = 0, dnsPort = 0, stateDir }: SsoOptions = {}) {
  const fileOf = (name: string) => stateDir && join(stateDir, name)
  const store = openOpenIdStore(fileOf('sso.jsonl'))
  const dns = await startDns(fileOf('dns.jsonl'), dnsPort)
  const signingKey = await loadOrCreateKey(fileOf('sso-saml-key.json'))
  let lies: Lies = {}
  const app = loopbackServer()
  app.addHook('onClose', async () => {
    await dns.close()
    store.close()
  })
  const startProvider = await serveOpenId(app, {
    name: 'your company',
    store,
    client: {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: ['http://localhost/api/auth/sso/callback'],
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    subjectOf: (email) => createHash('sha256').update(email).digest('base64url'),
    claimsInIdToken: false,
    paths: ['/*'],
  })
  // Responses contain the address, so it must be known before the server listens.
  const ownPort = port === 0 ? await freePort() : port
  const url = `http://127.0.0.1:${ownPort}`
  app.get('/', async (_request, reply) => sendPage(reply, 'Your company', setUpPage(url, dns.records())))
  app.post('/_dns', async (request, reply) => {
    const { domain = '', txt = '' } = (request.body ?? {}) as Record<string, string>
    if (domain.trim()) dns.set(domain.trim(), txt.trim() ? [txt.trim()] : [])
    return reply.redirect('/', 303)
  })
  app.get('/_dns', async () => dns.records())
  app.put<{ Params: { domain: string }; Body: { txt: string[] } }>('/_dns/:domain', async (request, reply) => {
    dns.set(request.params.domain, request.body.txt)
    return reply.code(204).send()
  })
  serveSaml(app, url, signingKey, () => lies)
  const address = await listenOnLoopback(app, ownPort)
  startProvider(url)
  return {
    /** `url` is the OpenID Connect issuer. Its page has setup instructions. */
    ...address,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    /** The SAML entity id and metadata address. */
    metadataUrl: `${url}/saml/metadata`,
    signingKey,
    /** Address and port of the DNS resolver. */
    dns: dns.address,
    setTxt: dns.set,
    setMail: dns.setMail,
    /** Makes later SAML responses wrong in the given ways. */
    lie(next: Lies) {
      lies = next
    },
    close: () => app.close(),
  }
}

/** Loads the stored key, so that saved certificates stay valid, or creates one. */
async function loadOrCreateKey(file: string | undefined): Promise<SigningKey> {
  if (file && existsSync(file)) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as SigningKey
    } catch {
      throw new Error(`${file} is damaged. Delete it to sign with a new key.`)
    }
  }
  const key = await makeSigningKey()
  if (file) {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(key), { mode: 0o600 })
  }
  return key
}

async function freePort(): Promise<number> {
  const probe = loopbackServer()
  const { port } = await listenOnLoopback(probe, 0)
  await probe.close()
  return port
}

function setUpPage(url: string, records: Record<string, string[]>): string {
  const terms = [
    ['Issuer', url],
    ['Client ID', CLIENT_ID],
    ['Client secret', CLIENT_SECRET],
    ['SAML metadata', `${url}/saml/metadata`],
  ]
  const list = terms.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')
  const recordRows = Object.entries(records).map(
    ([domain, txt]) => `<dt>${escaped(domain)}</dt><dd>${txt.map(escaped).join('<br>')}</dd>`,
  )
  return `<p>A local stand-in for an identity provider and its DNS. Connect it in Settings, under Single sign-on.</p>
<dl>${list}</dl>
<h2>DNS</h2>
<form method="post" action="/_dns">
<label>Domain <input name="domain" placeholder="example.com" autocapitalize="none" spellcheck="false"></label>
<label>TXT record <input name="txt" placeholder="x-automated-verification=…" autocapitalize="none" spellcheck="false"></label>
<div><button value="continue">Save record</button></div>
</form>
<dl>${recordRows.join('')}</dl>`
}
