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
} from '@x-automated/contract/outreach/extension'

/** The parts of chrome.runtime that pages can use. */
export interface Runtime {
  lastError?: { message?: string } | undefined
  sendMessage(id: string, request: unknown, reply: (value: unknown) => void): void
  connect(id: string, options: { name: string }): Port
}

interface Port {
  disconnect(): void
  postMessage(answer: PageAnswer): void
  onMessage: { addListener(listener: (question: unknown) => void): void }
  onDisconnect: { addListener(listener: () => void): void }
}

/** `stop`: later messages would fail, too, or the extension could not be reached. `unclear`: the reply was lost. */
interface ExtensionFailure {
  success: false
  error: string
  end: ExtensionEnd | 'unclear'
  code?: ExtensionErrorCode
}

export type ExtensionReply<Value> = ({ success: true } & Value) | ExtensionFailure

const NO_RUNTIME = 'Chrome runtime API not available in this context.'
const MALFORMED = 'Unexpected or malformed response from extension.'
const FAILED = 'Failed via extension'
const MAY_SEND: PageQuestion['ask'] = 'MAY_SEND'
/** Longer than the extension needs for any message. */
const TIMEOUT_MS = 150_000

function findRuntime(): Runtime | null {
  const { chrome } = globalThis as { chrome?: { runtime?: Partial<Runtime> } }
  return chrome?.runtime?.sendMessage ? (chrome.runtime as Runtime) : null
}

/** Sends a request to the browser extension. Never rejects. */
export async function askExtension(
  request: ExtensionRequest,
  runtime: Runtime | null = findRuntime(),
): Promise<ExtensionReply<object>> {
  const result = await exchange(request, runtime)
  return 'value' in result ? read(result.value) : result
}

/** Allows or forbids background sending. Extensions before 1.0 only know the former name. */
export async function setBackgroundSending(
  allowed: boolean,
  runtime: Runtime | null = findRuntime(),
): Promise<ExtensionReply<object>> {
  const reply = await askExtension({ action: 'SET_BACKGROUND_SENDING', data: { allowed } }, runtime)
  if (reply.success || reply.code !== 'INVALID_REQUEST') return reply
  return askExtension({ action: FORMER_BACKGROUND_SENDING, data: { allowed } }, runtime)
}

/** @returns the extension's raw reply */
function exchange(request: ExtensionRequest, runtime: Runtime | null): Promise<{ value: unknown } | ExtensionFailure> {
  if (!runtime) return Promise.resolve({ success: false, error: NO_RUNTIME, end: 'stop' })
  return new Promise((resolve) => {
    const timeout = setTimeout(
      () => resolve({ success: false, error: 'Extension communication error: no response in time.', end: 'unclear' }),
      TIMEOUT_MS,
    )
    try {
      runtime.sendMessage(EXTENSION_ID, request, (value) => {
        clearTimeout(timeout)
        const lastError = runtime.lastError?.message
        resolve(lastError === undefined ? { value } : lostReply(lastError))
      })
    } catch (error) {
      clearTimeout(timeout)
      resolve({
        success: false,
        error: `Failed to initiate communication with extension: ${error instanceof Error ? error.message : String(error)}`,
        end: 'stop',
      })
    }
  })
}

function lostReply(lastError: string): ExtensionFailure {
  const notReached = /Receiving end does not exist|Could not establish connection/.test(lastError)
  return { success: false, error: `Extension communication error: ${lastError}`, end: notReached ? 'stop' : 'unclear' }
}

function read(value: unknown): ExtensionReply<object> {
  const { success, error, code } = fieldsOf(value)
  if (success === true) return { success }
  if (success !== false) return { success: false, error: MALFORMED, end: 'unclear' }
  const message = typeof error === 'string' && error !== '' ? error : FAILED
  if (code === undefined || isErrorCode(code))
    return { success: false, error: message, end: endOf(code), ...(code && { code }) }
  // An unknown code from another version may mean that the message was sent.
  return { success: false, error: message, end: 'unclear' }
}

function isErrorCode(code: unknown): code is ExtensionErrorCode {
  return typeof code === 'string' && Object.hasOwn(EXTENSION_TEXT, code)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The status of this browser's extension, as this page understands it. */
export interface ExtensionHere extends Omit<ExtensionStatus, 'version' | 'activity' | 'sendsAlone'> {
  /** Null if not reported. */
  version: string | null
  /** Null if not reported, or unknown to this page. */
  activity: ExtensionActivity | null
  /** The status cannot be understood, because the page or the extension is outdated. */
  isOtherVersion: boolean
}

/** Fetches the extension's status, tolerating other versions. */
export async function askStatus(
  runtime: Runtime | null = findRuntime(),
): Promise<ExtensionReply<{ status: ExtensionHere }>> {
  const result = await exchange({ action: 'GET_STATUS' }, runtime)
  if (!('value' in result)) return result
  const reply = read(result.value)
  const isRefused = !reply.success && reply.code !== undefined && reply.code !== 'INVALID_REQUEST'
  return isRefused ? reply : { success: true, status: readStatus(fieldsOf(result.value).status) }
}

function readStatus(value: unknown): ExtensionHere {
  const { version, paused, pageChanged, signedInAs, pairedWith, activity, ...rest } = fieldsOf(value)
  // Extensions before 1.0 report this as `sendsAlone`. Remove it in 1.1.
  const sendsInBackground = rest.sendsInBackground ?? rest.sendsAlone
  const pairing = fieldsOf(pairedWith)
  const isPaired = typeof pairing.email === 'string' && typeof pairing.workspaceName === 'string'
  const parsed = {
    version: typeof version === 'string' && version !== '' ? version : null,
    activity: readActivity(activity),
  }
  const isComplete =
    parsed.version !== null &&
    parsed.activity !== null &&
    typeof paused === 'boolean' &&
    isTextOrNull(pageChanged) &&
    (signedInAs === undefined || isTextOrNull(signedInAs)) &&
    (pairedWith === null || isPaired) &&
    typeof sendsInBackground === 'boolean'
  return {
    ...parsed,
    paused: paused === true,
    pageChanged: typeof pageChanged === 'string' ? pageChanged : null,
    signedInAs: isTextOrNull(signedInAs) ? signedInAs : undefined,
    pairedWith: isPaired ? { email: String(pairing.email), workspaceName: String(pairing.workspaceName) } : null,
    sendsInBackground: sendsInBackground === true,
    isOtherVersion: !isComplete,
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
 * Asks the extension to open X and check whether it can send. Extensions before 0.2 only report
 * what they last saw.
 * @param sendsAs the account that must be logged in to X, without @; null for any
 */
export async function checkSending(sendsAs: string | null): Promise<ExtensionReply<object>> {
  const reply = await askExtension({ action: 'CHECK_SENDING', data: sendsAs === null ? {} : { sendsAs } })
  if (reply.success || reply.code !== 'INVALID_REQUEST') return reply
  const here = await askStatus()
  if (!here.success || here.status.signedInAs !== null) return here
  return { success: false, error: EXTENSION_TEXT.NOT_SIGNED_IN, end: 'stop', code: 'NOT_SIGNED_IN' }
}

/**
 * Keeps the extension from claiming while this page sends, and answers its questions. @returns a
 * function that ends this
 */
export function driveExtension(
  maySend: (claimed: { dmId: string; lease: string }) => Promise<boolean | null>,
  runtime: Runtime | null = findRuntime(),
): () => void {
  let port: Port | null = null
  let released = false
  const connect = () => {
    if (released || !runtime?.connect) return
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
          // The extension has disconnected. Without an answer, it does not send.
        }
      })
      opened.onDisconnect.addListener(() => {
        // Reading `lastError` keeps the browser from reporting an unchecked error.
        void runtime.lastError
        if (!released) setTimeout(connect, 1_000)
      })
    } catch {
      // The extension was removed. The next message reports that.
    }
  }
  connect()
  return () => {
    released = true
    port?.disconnect()
  }
}
