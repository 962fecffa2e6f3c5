import type { ExtensionState } from '@x-automated/contract/outreach/extension-pairings'
import { type ClaimRequest, type Outcome, secondsUntilDue } from '@x-automated/contract/outreach/sending-run'

/** The extension's pairing with a workspace: the product's origin and our token. */
export interface Pairing {
  origin: string
  token: string
  email: string
  workspaceName: string
}

/** A message that the product has assigned to this extension. */
export interface Claim {
  dmId: string
  lease: string
  twitterHandle: string
  message: string
  /** The X account that must send the message; null if any may. */
  sendsAs: string | null
  /** The recipient's X user id, if known. */
  xUserId?: string | null
}

interface Report {
  version: string
  signedInAs: string | null
  paused: boolean
  pageChanged: string | null
  sendsInBackground: boolean
}

/** The product returned an error, or could not be reached (status 0). */
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

/** The product's API for the extension. Every call may throw ProductError. */
export function createProduct({ origin, token }: Pick<Pairing, 'origin'> & { token?: string }) {
  /** @param body null for a GET */
  async function call(
    path: string,
    body: object | null,
    key?: string,
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'idempotency-key': key }),
    }
    let response: Response
    let read: unknown
    try {
      const init = {
        method: body ? 'POST' : 'GET',
        headers,
        ...(body && { body: JSON.stringify(body) }),
        credentials: 'omit',
        cache: 'no-store',
      } as const
      response = await fetch(`${origin}/api${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      read = response.status === 204 ? null : await response.json()
    } catch (error) {
      throw new ProductError(0, error instanceof Error ? error.message : 'no answer')
    }
    if (response.ok) return { status: response.status, headers: response.headers, body: read }
    const { error, code } = (read ?? {}) as { error?: string; code?: string }
    throw new ProductError(response.status, error ?? `The server returned ${response.status}.`, code)
  }

  return {
    pair: async (code: string, version: string) =>
      (await call('/extension/pair', { code, version })).body as Omit<Pairing, 'origin'>,
    /** The signed selectors for X's pages, not yet verified. */
    pages: async () => (await call('/extension/pages', null)).body,
    unpair: async () => void (await call('/extension/unpair', {})),
    report: async (report: Report) => (await call('/extension/state', report)).body as ExtensionState,
    /**
     * Claims the next due message, or returns the seconds until one is due; null if nothing is
     * queued. Campaigns of the signed-in X account come first.
     */
    async claim({ key, signedInAs }: ClaimRequest): Promise<{ claim: Claim } | { inSeconds: number | null }> {
      const input = { holder: 'extension alone', ...(signedInAs !== undefined && { signedInAs }) }
      const { status, headers, body } = await call('/claim', input, key)
      if (status === 200) return { claim: body as Claim }
      return { inSeconds: secondsUntilDue(headers.get('retry-after')) }
    },
    /** Whether the claimed message may still be sent. */
    confirm: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>) =>
      ((await call(`/dms/${dmId}/confirm`, { lease })).body as { maySend: boolean }).maySend,
    release: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>, inboxUnclear: boolean) =>
      void (await call(`/dms/${dmId}/release`, { lease, inboxUnclear })),
    record: async ({ dmId, lease }: Pick<Claim, 'dmId' | 'lease'>, outcome: Outcome) =>
      void (await call(`/dms/${dmId}/outcome`, { lease, ...outcome })),
  }
}
