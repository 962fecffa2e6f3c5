import {
  EXTENSION_ID,
  EXTENSION_TEXT,
  type ExtensionActivity,
  type ExtensionEnd,
  type ExtensionErrorCode,
  type ExtensionRequest,
  type ExtensionStatus,
  endOf,
  FORMER_BACKGROUND_SENDING,
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
export interface ExtensionFailure {
  success: false
  error: string
  end: ExtensionEnd | 'down' | 'unclear'
  code?: ExtensionErrorCode
}

export type ExtensionReply<Value> = ({ success: true } & Value) | ExtensionFailure

const NO_RUNTIME = 'Chrome runtime API not available in this context.'
const MALFORMED = 'Unexpected or malformed response from extension.'
const FAILED = 'Failed via extension'
const MAY_SEND: PageQuestion['ask'] = 'MAY_SEND'
/** Longer than the extension takes over any message. */
const PATIENCE_MS = 150_000

function runtimeOf(): Runtime | null {
  const { chrome } = globalThis as { chrome?: { runtime?: Partial<Runtime> } }
  return chrome?.runtime?.sendMessage ? (chrome.runtime as Runtime) : null
}

/** Asks the browser extension (specification §7, §8). Never rejects. */
export async function askExtension(
  request: ExtensionRequest,
  runtime: Runtime | null = runtimeOf(),
): Promise<ExtensionReply<object>> {
  const answer = await exchange(request, runtime)
  return 'value' in answer ? read(answer.value) : answer
}

/** Allows the extension to send in the background, or forbids it. Extensions before 1.0 know the request by its former name. */
export async function setBackgroundSending(
  allowed: boolean,
  runtime: Runtime | null = runtimeOf(),
): Promise<ExtensionReply<object>> {
  const reply = await askExtension({ action: 'SET_BACKGROUND_SENDING', data: { allowed } }, runtime)
  if (reply.success || reply.code !== 'INVALID_REQUEST') return reply
  return askExtension({ action: FORMER_BACKGROUND_SENDING, data: { allowed } }, runtime)
}

/** @returns what the extension answered, whatever that is */
function exchange(request: ExtensionRequest, runtime: Runtime | null): Promise<{ value: unknown } | ExtensionFailure> {
  if (!runtime) return Promise.resolve({ success: false, error: NO_RUNTIME, end: 'down' })
  return new Promise((resolve) => {
    const late = setTimeout(
      () => resolve({ success: false, error: 'Extension communication error: no answer in time.', end: 'unclear' }),
      PATIENCE_MS,
    )
    try {
      runtime.sendMessage(EXTENSION_ID, request, (value) => {
        clearTimeout(late)
        const lost = runtime.lastError?.message
        resolve(lost === undefined ? { value } : lostAnswer(lost))
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

function lostAnswer(lost: string): ExtensionFailure {
  const neverThere = /Receiving end does not exist|Could not establish connection/.test(lost)
  return { success: false, error: `Extension communication error: ${lost}`, end: neverThere ? 'down' : 'unclear' }
}

function read(value: unknown): ExtensionReply<object> {
  const { success, error, code } = fieldsOf(value)
  if (success === true) return { success }
  if (success !== false) return { success: false, error: MALFORMED, end: 'unclear' }
  const words = typeof error === 'string' && error !== '' ? error : FAILED
  if (code === undefined || isErrorCode(code))
    return { success: false, error: words, end: endOf(code), ...(code && { code }) }
  // A code of another version may mean that the message was sent.
  return { success: false, error: words, end: 'unclear' }
}

function isErrorCode(code: unknown): code is ExtensionErrorCode {
  return typeof code === 'string' && Object.hasOwn(EXTENSION_TEXT, code)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The extension of this browser, as far as this page understands it. */
export interface ExtensionHere extends Omit<ExtensionStatus, 'version' | 'activity' | 'sendsAlone'> {
  /** Null if it does not say. */
  version: string | null
  /** Null if it does not say, or says something that this page does not know. */
  activity: ExtensionActivity | null
  /** Its status is not the one that this page knows: one of them is older. */
  isOtherVersion: boolean
}

/** Asks the extension for its status. What another version leaves out, adds or does not understand is tolerated. */
export async function askStatus(
  runtime: Runtime | null = runtimeOf(),
): Promise<ExtensionReply<{ status: ExtensionHere }>> {
  const answer = await exchange({ action: 'GET_STATUS' }, runtime)
  if (!('value' in answer)) return answer
  const reply = read(answer.value)
  const isRefused = !reply.success && reply.code !== undefined && reply.code !== 'INVALID_REQUEST'
  return isRefused ? reply : { success: true, status: readStatus(fieldsOf(answer.value).status) }
}

function readStatus(value: unknown): ExtensionHere {
  const { version, paused, pageChanged, signedInAs, pairedWith, activity, ...rest } = fieldsOf(value)
  // Extensions before 1.0 report it as `sendsAlone`. Drop it in 1.1.
  const sendsInBackground = rest.sendsInBackground ?? rest.sendsAlone
  const pairing = fieldsOf(pairedWith)
  const isPaired = typeof pairing.email === 'string' && typeof pairing.workspaceName === 'string'
  const known = {
    version: typeof version === 'string' && version !== '' ? version : null,
    activity: readActivity(activity),
  }
  const isWhole =
    known.version !== null &&
    known.activity !== null &&
    typeof paused === 'boolean' &&
    isTextOrNull(pageChanged) &&
    (signedInAs === undefined || isTextOrNull(signedInAs)) &&
    (pairedWith === null || isPaired) &&
    typeof sendsInBackground === 'boolean'
  return {
    ...known,
    paused: paused === true,
    pageChanged: typeof pageChanged === 'string' ? pageChanged : null,
    signedInAs: isTextOrNull(signedInAs) ? signedInAs : undefined,
    pairedWith: isPaired ? { email: String(pairing.email), workspaceName: String(pairing.workspaceName) } : null,
    sendsInBackground: sendsInBackground === true,
    isOtherVersion: !isWhole,
  }
}

function readActivity(value: unknown): ExtensionActivity | null {
  const { doing, handle, until, error } = fieldsOf(value)
  if (doing === 'nothing') return { doing }
  if (doing === 'sending' && typeof handle === 'string') return { doing, handle }
  const isMoment = typeof until === 'number' && Number.isFinite(until)
  if (doing === 'waiting' && isMoment) return { doing, until }
  if (doing === 'stopped' && typeof error === 'string' && isMoment) return { doing, error, until }
  return null
}

function isTextOrNull(value: unknown): value is string | null {
  return typeof value === 'string' || value === null
}

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
        const { ask, dmId, lease } = fieldsOf(question)
        if (ask !== MAY_SEND || typeof dmId !== 'string' || typeof lease !== 'string') return
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
