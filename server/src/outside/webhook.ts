import { AddressRefused, createSafeFetch } from './safe-fetch.ts'

export interface Hook {
  url: string
  headers: Record<string, string>
  body: string
  /** Also to this machine and its network: only where stand-ins run. */
  allowLoopback: boolean
}

/** What an endpoint answered, or why it gave no answer. */
export type HookAnswer = { status: number; excerpt: string } | { problem: string }

export const HOOK_TIMEOUT_SECONDS = 10
/** Bytes of an answer that are read. Who answered has taken it, however long the rest of the answer takes. */
const EXCERPT_BYTES = 1_024

/** One POST to somebody's endpoint: 10 seconds at most, no redirect followed, the first kilobyte of the answer read. Never throws. */
export async function postHook({ url, headers, body, allowLoopback }: Hook): Promise<HookAnswer> {
  const send = createSafeFetch({
    allowLoopback,
    timeoutMs: HOOK_TIMEOUT_SECONDS * 1_000,
    maxBytes: EXCERPT_BYTES,
    takesBeginning: true,
  })
  try {
    const answer = await send(url, { method: 'POST', headers, body })
    return { status: answer.status, excerpt: (await answer.text()).replaceAll('\u0000', '') }
  } catch (error) {
    return { problem: wordsOf(error as NodeJS.ErrnoException) }
  }
}

function wordsOf(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `No answer within ${HOOK_TIMEOUT_SECONDS} seconds`
  if (error instanceof AddressRefused) return 'The address is not public'
  const codes: Record<string, string> = {
    ECONNREFUSED: 'The connection was refused',
    ECONNRESET: 'The connection was closed without an answer',
    ENOTFOUND: 'The host name is not known',
    EAI_AGAIN: 'The host name could not be looked up',
    EHOSTUNREACH: 'The host cannot be reached',
    ENETUNREACH: 'The host cannot be reached',
    ETIMEDOUT: 'The connection timed out',
  }
  const { code = '' } = error
  return (
    codes[code] ??
    (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code) ? 'Its certificate is not valid' : 'It could not be reached')
  )
}
