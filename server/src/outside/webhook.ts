import { AddressRefused, createSafeFetch } from './safe-fetch.ts'

interface Hook {
  url: string
  headers: Record<string, string>
  body: string
  /** Also allows loopback addresses and plain HTTP, for stand-ins. */
  allowLoopback: boolean
}

/** An endpoint's response, or why there was none. */
export type HookAnswer = { status: number; excerpt: string } | { problem: string }

const HOOK_TIMEOUT_SECONDS = 10
/** Maximum bytes read of the response. The delivery counts as accepted once the status arrives. */
const EXCERPT_BYTES = 1_024

/**
 * Sends one POST to an endpoint: 10 seconds at most, no redirects, first kilobyte of the response.
 * Never throws.
 */
export async function postHook({ url, headers, body, allowLoopback }: Hook): Promise<HookAnswer> {
  const send = createSafeFetch({
    allowLoopback,
    timeoutMs: HOOK_TIMEOUT_SECONDS * 1_000,
    maxBytes: EXCERPT_BYTES,
    takesBeginning: true,
  })
  try {
    const response = await send(url, { method: 'POST', headers, body })
    return { status: response.status, excerpt: (await response.text()).replaceAll('\u0000', '') }
  } catch (error) {
    return { problem: problemText(error as NodeJS.ErrnoException) }
  }
}

function problemText(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `No response within ${HOOK_TIMEOUT_SECONDS} seconds`
  if (error instanceof AddressRefused) return "The address isn't public"
  const codes: Record<string, string> = {
    ECONNREFUSED: 'The connection was refused',
    ECONNRESET: 'The connection was closed without a response',
    ENOTFOUND: 'Unknown host name',
    EAI_AGAIN: "The host name couldn't be resolved",
    EHOSTUNREACH: 'The host is unreachable',
    ENETUNREACH: 'The host is unreachable',
    ETIMEDOUT: 'The connection timed out',
  }
  const { code = '' } = error
  return (
    codes[code] ??
    (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code) ? 'The certificate is invalid' : "The endpoint couldn't be reached")
  )
}
