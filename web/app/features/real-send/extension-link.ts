import {
  EXTENSION_ID,
  type ExtensionEnd,
  type ExtensionErrorCode,
  type ExtensionRequest,
  type ExtensionStatus,
  endOf,
  type PageAnswer,
  type PageQuestion,
  RUN_PORT,
} from '@x-automated/contract/extension'

/** What a page sees of chrome.runtime where an extension lets it in. */
export interface Runtime {
  lastError?: { message?: string } | undefined
  sendMessage(id: string, request: unknown, reply: (value: unknown) => void): void
  connect(id: string, options: { name: string }): Port
}

interface Port {
  disconnect(): void
  postMessage(answer: PageAnswer): void
  onMessage: { addListener(heard: (question: unknown) => void): void }
  onDisconnect: { addListener(gone: () => void): void }
}

/**
 * Why a request did not succeed. `down`: the extension was not reached, so nothing was sent. `unclear`: it was reached and its
 * answer was lost. Else what the extension says that it means.
 */
export interface LinkFailure {
  success: false
  error: string
  end: ExtensionEnd | 'down' | 'unclear'
  code?: ExtensionErrorCode
}

export type LinkReply<Value> = ({ success: true } & Value) | LinkFailure

const NO_RUNTIME = 'Chrome runtime API not available in this context.'
const MALFORMED = 'Unexpected or malformed response from extension.'
const FAILED = 'Failed via extension'
/** Longer than the extension takes over any message. */
const PATIENCE_MS = 150_000

function runtimeOf(): Runtime | null {
  const { chrome } = globalThis as { chrome?: { runtime?: Partial<Runtime> } }
  return chrome?.runtime?.sendMessage ? (chrome.runtime as Runtime) : null
}

/** Asks the browser extension (specification §7, §8). Never rejects. */
export function askExtension<Value extends object = object>(
  request: ExtensionRequest,
  runtime: Runtime | null = runtimeOf(),
): Promise<LinkReply<Value>> {
  if (!runtime) return Promise.resolve({ success: false, error: NO_RUNTIME, end: 'down' })
  return new Promise((resolve) => {
    const late = setTimeout(
      () => resolve({ success: false, error: 'Extension communication error: no answer in time.', end: 'unclear' }),
      PATIENCE_MS,
    )
    try {
      runtime.sendMessage(EXTENSION_ID, request, (value) => {
        clearTimeout(late)
        resolve(read<Value>(value, runtime.lastError?.message))
      })
    } catch (error) {
      clearTimeout(late)
      resolve({
        success: false,
        error: `Failed to initiate communication with extension: ${error instanceof Error ? error.message : String(error)}`,
        end: 'down',
      })
    }
  })
}

function read<Value extends object>(value: unknown, lost: string | undefined): LinkReply<Value> {
  if (lost !== undefined) {
    const neverThere = /Receiving end does not exist|Could not establish connection/.test(lost)
    return { success: false, error: `Extension communication error: ${lost}`, end: neverThere ? 'down' : 'unclear' }
  }
  const { success, error, code } = (value ?? {}) as { success?: unknown; error?: unknown; code?: ExtensionErrorCode }
  if (success === true) return value as { success: true } & Value
  if (success !== false) return { success: false, error: MALFORMED, end: 'unclear' }
  const words = typeof error === 'string' && error !== '' ? error : FAILED
  return { success: false, error: words, end: endOf(code), ...(code && { code }) }
}

export const askStatus = () => askExtension<{ status: ExtensionStatus }>({ action: 'GET_STATUS' })

/**
 * Keeps the extension from claiming by itself while this page does, also after its worker was ended and began anew.
 * @param maySend answers for what this page has claimed, right before send is pressed: may it still go out? Null: not to be found out
 * @returns how to let go
 */
export function driveExtension(
  maySend: (held: { dmId: string; lease: string }) => Promise<boolean | null>,
  runtime: Runtime | null = runtimeOf(),
): () => void {
  let port: Port | null = null
  let over = false
  const connect = () => {
    if (over || !runtime?.connect) return
    try {
      const opened = runtime.connect(EXTENSION_ID, { name: RUN_PORT })
      port = opened
      opened.onMessage.addListener(async (question) => {
        const { ask, dmId, lease } = (question ?? {}) as Partial<PageQuestion>
        if (ask !== 'MAY_SEND' || dmId === undefined || lease === undefined) return
        const answer = { dmId, lease, maySend: await maySend({ dmId, lease }) }
        try {
          opened.postMessage(answer)
        } catch {
          // It is gone, and takes silence for a no.
        }
      })
      opened.onDisconnect.addListener(() => {
        // Read, or the browser reports it as nobody's.
        void runtime.lastError
        if (!over) setTimeout(connect, 1_000)
      })
    } catch {
      // It was taken out: the next message will say so.
    }
  }
  connect()
  return () => {
    over = true
    port?.disconnect()
  }
}
