import type { ExtensionState } from '@x-automated/contract/extension-pairings'

/** Where the product is, and what the extension is to it. */
export interface Pairing {
  origin: string
  token: string
  email: string
  workspaceName: string
}

/** A message that the product has handed to this extension. */
export interface Claim {
  dmId: string
  lease: string
  twitterHandle: string
  message: string
  /** The X account that has to send it; null: whichever is signed in. */
  sendsAs: string | null
}

export interface Report {
  version: string
  signedInAs: string | null
  paused: boolean
  pageChanged: string | null
  sendsInBackground: boolean
}

/** What became of a claim, for the product. */
export interface Outcome {
  wasSent: boolean
  errorMessage?: string
  outcomeUnknown?: boolean
}

/** The product refused, or could not be reached (status 0). */
export class ProductError extends Error {
  readonly status: number
  readonly code: string | undefined
  constructor(status: number, message: string, code?: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const TIMEOUT_MS = 15_000

/** The few calls of the product that an extension may make. Each throws a ProductError. */
export function createProduct({ origin, token }: Pick<Pairing, 'origin'> & { token?: string }) {
  async function call(
    path: string,
    body: object,
    key?: string,
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'idempotency-key': key }),
    }
    let answer: Response
    let read: unknown
    try {
      const init = {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        credentials: 'omit',
        cache: 'no-store',
      } as const
      answer = await fetch(`${origin}/api${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      read = answer.status === 204 ? null : await answer.json()
    } catch (error) {
      throw new ProductError(0, error instanceof Error ? error.message : 'no answer')
    }
    if (answer.ok) return { status: answer.status, headers: answer.headers, body: read }
    const { error, code } = (read ?? {}) as { error?: string; code?: string }
    throw new ProductError(answer.status, error ?? `It answered ${answer.status}.`, code)
  }

  return {
    pair: async (code: string, version: string) =>
      (await call('/extension/pair', { code, version })).body as Omit<Pairing, 'origin'>,
    unpair: async () => void (await call('/extension/unpair', {})),
    report: async (report: Report) => (await call('/extension/state', report)).body as ExtensionState,
    /**
     * The next message of any campaign that is due; else in how many seconds one will be, null where none waits.
     * @param key names the asking: asked again under it, the answer is the same
     * @param signedInAs who is signed in to X here, as far as that is known: their campaigns come first
     */
    async claim(
      holder: string,
      key: string,
      signedInAs?: string,
    ): Promise<{ claim: Claim } | { inSeconds: number | null }> {
      const asked = { holder, ...(signedInAs !== undefined && { signedInAs }) }
      const { status, headers, body } = await call('/claim', asked, key)
      if (status === 200) return { claim: body as Claim }
      const seconds = Number(headers.get('retry-after'))
      return { inSeconds: seconds > 0 ? seconds : null }
    },
    /** May it still go out? */
    confirm: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>) =>
      ((await call(`/dms/${dmId}/confirm`, { lease })).body as { maySend: boolean }).maySend,
    release: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>) =>
      void (await call(`/dms/${dmId}/release`, { lease })),
    record: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>, outcome: Outcome) =>
      void (await call(`/dms/${dmId}/outcome`, { lease, ...outcome })),
  }
}

export type Product = ReturnType<typeof createProduct>
