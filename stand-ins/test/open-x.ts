import { createHash, randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { startX, type X, type XOptions } from '../src/x.ts'

export const ALL_SCOPES = 'tweet.read users.read follows.read dm.read dm.write offline.access like.read list.read'

// biome-ignore lint/suspicious/noExplicitAny: tests read any response
export type Answer = { status: number; headers: Headers; body: any }

/** Starts a stand-in X until the end of the test, with a clock that `wait` advances by milliseconds. */
export async function openX(options: XOptions = {}) {
  let ahead = 0
  const x = await startX({ now: () => Date.now() + ahead, ...options })
  onTestFinished(() => x.close())
  return { ...visit(x), wait: (ms: number) => (ahead += ms) }
}

/** Returns a client for a running stand-in X. It makes calls as the product, a browser or a test does. */
export function visit<Visited extends Pick<X, 'url' | 'clientId' | 'clientSecret'>>(x: Visited) {
  const basic = `Basic ${Buffer.from(`${x.clientId}:${x.clientSecret}`).toString('base64')}`

  async function call(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(new URL(path, x.url), { redirect: 'manual', ...init })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  const form = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = { authorization: basic },
  ) => call(path, { method: 'POST', headers, body: new URLSearchParams(fields) })
  const json = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })

  /** Returns functions that make calls with this access token. */
  function as(accessToken: string) {
    const headers = { authorization: `Bearer ${accessToken}` }
    return {
      get: (path: string) => call(path, { headers }),
      send: (participantId: string, text: string) =>
        json('POST', `/2/dm_conversations/with/${participantId}/messages`, { text }, headers),
      post: (path: string, body: unknown) => json('POST', path, body, headers),
      async idOf(handle: string): Promise<string> {
        return (await call(`/2/users/by/username/${handle}`, { headers })).body.data.id
      },
    }
  }

  return {
    url: x.url,
    x,
    call,
    form,
    json,
    as,
    faults: (faults: unknown) => json('PUT', '/_faults', faults),
    log: async (query = '') => (await call(`/_log/dms${query}`)).body as { from: string; to: string; text: string }[],
    async signIn(username = 'sender', scope = ALL_SCOPES) {
      const { body } = await form('/2/oauth2/token', {
        grant_type: 'password',
        username,
        password: 'long enough',
        scope,
      })
      return { tokens: body, ...as(body.access_token) }
    },
  }
}

/** Returns a PKCE verifier and its challenge (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
