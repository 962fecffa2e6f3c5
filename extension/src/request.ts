import {
  type ExtensionRequest,
  FORMER_BACKGROUND_SENDING,
  MESSAGE_LIMIT,
} from '@x-automated/contract/outreach/extension'

const HANDLE = /^@?([A-Za-z0-9_]{1,15})$/
const LONGEST_ID = 200

/** A message to send. The handle has no @; `id` identifies the attempt, if the page chose one. */
export interface Message {
  id: string | undefined
  handle: string
  message: string
  /** The claimed message's id in the product. `id` is then its lease. */
  dmId?: string
  /** Send is not pressed after this time, in milliseconds since 1970. */
  notAfter?: number
  /** The run's id. */
  runId?: string
  /** The account that must be signed in to X, without @. */
  sendsAs?: string
  /** The recipient's X user id. */
  xUserId?: string
}

type ReadRequest =
  | { action: 'SEND_TWITTER_DM'; message: Message }
  | { action: 'CHECK_SENDING'; sendsAs: string | undefined }
  | { action: 'GET_STATUS' }
  | { action: 'UNPAIR' }
  | { action: 'PAIR'; code: string }
  | { action: 'SET_BACKGROUND_SENDING'; allowed: boolean }
  | { action: 'INVALID'; problem: string }

const invalid = (problem: string): ReadRequest => ({ action: 'INVALID', problem })

/** Validates a page's request, which can be anything, because other code can run on allowed pages. */
export function readRequest(value: unknown): ReadRequest {
  const { action, data } = fieldsOf(value) as { action?: ExtensionRequest['action']; data?: unknown }
  if (action === 'GET_STATUS' || action === 'UNPAIR') return { action }
  if (action === 'PAIR') {
    const { code } = fieldsOf(data)
    if (typeof code !== 'string' || code.trim() === '' || code.length > 50) return invalid('code is not a pairing code')
    return { action, code }
  }
  if (action === 'SET_BACKGROUND_SENDING' || action === FORMER_BACKGROUND_SENDING) {
    const { allowed } = fieldsOf(data)
    return typeof allowed === 'boolean'
      ? { action: 'SET_BACKGROUND_SENDING', allowed }
      : invalid('allowed is neither true nor false')
  }
  if (action === 'CHECK_SENDING') {
    const { sendsAs } = fieldsOf(data)
    const sender = readHandle(sendsAs)
    return sendsAs !== undefined && sender === undefined
      ? invalid('sendsAs is not a handle of X')
      : { action, sendsAs: sender }
  }
  if (action !== 'SEND_TWITTER_DM') return invalid('its action is not known')
  const { twitterHandle, message, requestId, dmId, notAfter, sendsAs, runId, xUserId } = fieldsOf(data)
  const handle = readHandle(twitterHandle)
  if (handle === undefined) return invalid('twitterHandle is not a handle of X')
  if (typeof message !== 'string' || message.trim() === '') return invalid('message is empty')
  if (message.length > MESSAGE_LIMIT) return invalid(`message is longer than ${MESSAGE_LIMIT} characters`)
  if (dmId !== undefined && !isId(dmId)) return invalid('dmId is not an id')
  if (dmId !== undefined && requestId === undefined) return invalid('dmId comes without requestId, its lease')
  if (notAfter !== undefined && !Number.isFinite(notAfter)) return invalid('notAfter is not a moment')
  if (runId !== undefined && !isId(runId)) return invalid('runId is not an id')
  const sender = readHandle(sendsAs)
  if (sendsAs !== undefined && sender === undefined) return invalid('sendsAs is not a handle of X')
  if (xUserId !== undefined && !isXUserId(xUserId)) return invalid('xUserId is not an id of X')
  const bounds = {
    dmId: dmId as string | undefined,
    notAfter: notAfter as number | undefined,
    ...(sender !== undefined && { sendsAs: sender }),
    ...(runId !== undefined && { runId: runId as string }),
    ...(xUserId !== undefined && { xUserId }),
  }
  if (requestId === undefined)
    return { action, message: { id: undefined, handle, message: asTyped(message), ...bounds } }
  if (!isId(requestId)) return invalid(`requestId is not a text of 1 to ${LONGEST_ID} characters`)
  return { action, message: { id: requestId, handle, message: asTyped(message), ...bounds } }
}

function readHandle(value: unknown): string | undefined {
  return typeof value === 'string' ? HANDLE.exec(value.trim())?.[1] : undefined
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID
}

function isXUserId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value)
}

/** Trims the message and normalizes its line breaks, as X does. */
function asTyped(message: string): string {
  return message.replaceAll(/\r\n?/g, '\n').trim()
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
