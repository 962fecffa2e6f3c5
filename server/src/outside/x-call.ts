import { errorOf, isUnknownProblem, problemOf, XError } from './x-errors.ts'
import { createUnpublishedLimits, limitOf } from './x-limits.ts'
import { keysOf, type XReport } from './x-report.ts'

/**
 * Timeout of a call. A send that timed out is settled by reading the conversation, as soon as the
 * send can no longer take effect.
 */
const X_TIMEOUT_MS = 15_000

/** Errors before there is a connection. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export type XRequest = {
  method?: string
  headers?: Record<string, string>
  body?: BodyInit
  accessToken?: string
  /** The owner of the token, and so of the limit that counts. */
  caller?: 'account' | 'app'
  /** The name of the call's limit, if X does not publish it. */
  unpublished?: string
  /** Called with the headers of a success. */
  onHeaders?: (headers: Headers) => void
}

export type XAnswer = Record<string, unknown>

/** Creates calls to X at `apiUrl`. @param report reports what cannot be read, and parameters that X refused */
export function createXCall({
  apiUrl,
  timeoutMs = X_TIMEOUT_MS,
  report = () => {},
}: {
  apiUrl: string
  timeoutMs?: number | undefined
  report?: XReport | undefined
}) {
  const unpublishedLimits = createUnpublishedLimits()

  /** Calls X once. @throws XError */
  async function callOnce(path: string, request: XRequest): Promise<XAnswer> {
    const { accessToken = '', headers, caller = 'account', unpublished, onHeaders, ...rest } = request
    if (unpublished) unpublishedLimits.use(unpublished, accessToken)
    let response: Response
    let text: string
    try {
      response = await fetch(`${apiUrl}${path}`, {
        ...rest,
        headers: {
          accept: 'application/json',
          ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      })
      text = await response.text()
    } catch (error) {
      const isUnsent = UNSENT.has((error as { cause?: { code?: string } }).cause?.code ?? '')
      throw new XError(isUnsent ? 'unavailable' : 'unknown', isUnsent ? 'X cannot be reached.' : 'X did not respond.')
    }
    const { ok, status, statusText } = response
    if (unpublished) unpublishedLimits.learn(unpublished, response.headers)
    // X responds to deletions without a body.
    const body = ok && text === '' ? {} : parse(text)
    if (ok && body) {
      onHeaders?.(response.headers)
      return body
    }
    const problem = problemOf(status, statusText, body)
    if (isUnknownProblem(problem))
      report({ source: 'error', name: `${nameOf(path, request)} ${status}`, keys: body ? keysOf(body) : [] })
    throw errorOf(problem, limitOf(response.headers, caller))
  }

  /** Calls X, and once more without fields or expansions that X refuses. @throws XError */
  async function call(path: string, request: XRequest = {}): Promise<XAnswer> {
    try {
      return await callOnce(path, request)
    } catch (error) {
      const [without, refused] = error instanceof XError ? withoutRefused(path, error) : [null, []]
      if (without === null) throw error
      report({ source: 'parameter', name: nameOf(path, request), keys: refused })
      return callOnce(without, request)
    }
  }

  /** Calls X and parses the response. @throws XError unknown: it cannot be read */
  async function read<Data>(path: string, request: XRequest, parse: (response: XAnswer) => Data): Promise<Data> {
    const response = await call(path, request)
    try {
      return parse(response)
    } catch (error) {
      if (error instanceof XError && error.isUnreadable)
        report({ source: 'answer', name: nameOf(path, request), keys: keysOf(response) })
      throw error
    }
  }

  return { call, read }
}

/** The name of a call, without the ids in its path: 'GET /2/users/{id}/followers'. */
function nameOf(path: string, { method = 'GET' }: XRequest): string {
  const parts = (path.split('?')[0] ?? '').split('/')
  const isId = (part: string, index: number) => BEFORE_IDS.has(parts[index - 1] ?? '') && !NO_IDS.has(part)
  return `${method} ${parts.map((part, index) => (isId(part, index) ? '{id}' : part)).join('/')}`
}
const BEFORE_IDS = new Set([
  'users',
  'username',
  'tweets',
  'lists',
  'with',
  'conversations',
  'subscriptions',
  'webhooks',
])
const NO_IDS = new Set(['me', 'by', 'public_keys', 'search', 'replay'])

/** Parameters that only add to a response. */
const isOptional = (name: string) => name.endsWith('.fields') || name === 'expansions'

/** The path without the values that X refused, and their parameters. Null if it refused something else. */
function withoutRefused(path: string, { kind, parameters }: XError): [string | null, string[]] {
  const [start = '', search = ''] = path.split('?')
  const query = new URLSearchParams(search)
  const refused = [...parameters].filter(([name]) => isOptional(name) && query.has(name))
  if (kind !== 'invalid' || refused.length === 0) return [null, []]
  for (const [name, values] of refused) {
    const current = query.get(name)?.split(',') ?? []
    const left = current.filter((value) => !values.includes(value))
    if (left.length > 0 && left.length < current.length) query.set(name, left.join(','))
    else query.delete(name)
  }
  return [`${start}?${query}`, refused.map(([name]) => name)]
}

/** Returns the data of a success. @throws XError according to its `errors`, if it has no data */
export function dataOf(response: XAnswer): unknown {
  if (response.data !== undefined || !Array.isArray(response.errors) || response.errors.length === 0)
    return response.data
  throw errorOf(problemOf(200, 'OK', response), limitOf(new Headers(), 'account'))
}

function parse(text: string): XAnswer | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as XAnswer) : null
  } catch {
    return null
  }
}
