import type { ProviderKind } from '@x-automated/contract/outreach/writer'
import type { WriterFault } from '@x-automated/contract/outreach/writer-text'
import type { LanguageModel } from 'ai'
import type { z } from 'zod'
import { AddressRefused, createSafeFetch, type SafeRequest } from './safe-fetch.ts'

/** One call of a model, which returns a list of elements. */
export interface ModelCall<Element> {
  kind: ProviderKind
  /** Null: the provider's own address. */
  baseUrl: string | null
  model: string
  apiKey: string | null
  /** A user gave the address, so it must be public. */
  isGuarded: boolean
  system: string
  prompt: string
  element: z.ZodType<Element>
  maxOutputTokens: number
  /** Whether the schema is sent. Some servers refuse it. */
  sendsSchema: boolean
  /** Aborts the call, which then fails with `timeout`. */
  signal?: AbortSignal | undefined
}

export interface TokensUsed {
  input: number
  output: number
}

/** A failed call, with the tokens that it used, if the provider reported them. */
export class ModelFailure extends Error {
  readonly code: WriterFault
  readonly used: TokensUsed | null
  /** 0: there was no response. */
  readonly status: number
  /** How long to wait before the next call, if the provider said. */
  readonly retryAfterSeconds: number | null
  constructor(code: WriterFault, used: TokensUsed | null = null, status = 0, retryAfterSeconds: number | null = null) {
    // The provider's own message may quote the prompt.
    super(`the model call failed: ${code}`)
    this.name = 'ModelFailure'
    this.code = code
    this.used = used
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface Models {
  /** Yields each element once it is complete. Returns the tokens used; null: not reported. @throws ModelFailure */
  stream<Element>(call: ModelCall<Element>): AsyncGenerator<Element, TokensUsed | null>
}

const ANSWER_BYTES_MAX = 2 * 1024 * 1024

/** Models of any provider, through the AI SDK, which is loaded with the first call. */
export function createModels(options: {
  timeoutSeconds: number
  allowLoopback: boolean
  allowPrivate: boolean
}): Models {
  const timeoutMs = options.timeoutSeconds * 1_000
  const safeFetch = createSafeFetch({
    allowLoopback: options.allowLoopback,
    timeoutMs,
    maxBytes: ANSWER_BYTES_MAX,
    isStreamed: true,
  })
  const guarded = ((address: string | URL, request: SafeRequest) =>
    safeFetch(String(address), request)) as unknown as typeof fetch

  return {
    async *stream(call) {
      const { Output, streamText } = await loadSdk()
      let failure: unknown = null
      const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(call.signal ? [call.signal] : [])])
      const model = await openModel(call, call.isGuarded && !options.allowPrivate ? guarded : undefined)
      const result = streamText({
        model,
        instructions: call.system,
        prompt: call.prompt,
        output: Output.array({ element: call.element }),
        maxOutputTokens: call.maxOutputTokens,
        maxRetries: 0,
        abortSignal: deadline,
        // Without this handler, the SDK logs the error with the prompt.
        onError: ({ error }) => {
          failure ??= error
        },
      })
      const finished = Promise.all([result.usage, result.finishReason, result.text]).catch(() => null)
      // The output promise rejects if the response is unreadable; its readable elements have been yielded.
      Promise.resolve(result.output).catch(() => {})
      let count = 0
      try {
        for await (const element of result.elementStream) {
          count += 1
          yield element as never
        }
      } catch (error) {
        failure ??= error
      }
      const [usage, reason, text] = (await finished) ?? []
      const { inputTokens, outputTokens } = usage ?? {}
      const isCounted = inputTokens !== undefined || outputTokens !== undefined
      const used = isCounted ? { input: inputTokens ?? 0, output: outputTokens ?? 0 } : null
      if (deadline.aborted) throw new ModelFailure('timeout', used)
      if (failure) throw failureOf(failure, used, count > 0)
      if (reason === 'content-filter') throw new ModelFailure('refused', used)
      if (reason === 'length') throw new ModelFailure('cut_off', used)
      // Without a finish reason, the connection to the provider was lost.
      if (reason === undefined || reason === 'error') throw new ModelFailure('cut_off', used)
      if (count === 0) throw new ModelFailure(isRefusal(text ?? '') ? 'refused' : 'malformed', used)
      if (!isWholeJson(text ?? '')) throw new ModelFailure(reason === 'other' ? 'cut_off' : 'malformed', used)
      return used
    },
  }
}

let sdk: Promise<typeof import('ai')> | undefined

function loadSdk() {
  sdk ??= import('ai').then((loaded) => {
    ;(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false
    return loaded
  })
  return sdk
}

async function openModel(
  { kind, baseUrl, model, apiKey, sendsSchema }: ModelCall<unknown>,
  guarded: typeof fetch | undefined,
): Promise<LanguageModel> {
  // Pass an explicit key, so that no provider reads one from the environment.
  const settings = { apiKey: apiKey ?? '', ...(baseUrl && { baseURL: baseUrl }), ...(guarded && { fetch: guarded }) }
  switch (kind) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings)(model)
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(model)
    case 'openai_compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'custom',
        baseURL: baseUrl ?? 'https://api.openai.com/v1',
        ...(apiKey && { apiKey }),
        ...(guarded && { fetch: guarded }),
        includeUsage: true,
        supportsStructuredOutputs: sendsSchema,
      })(model)
    }
  }
}

function failureOf(error: unknown, used: TokensUsed | null, hasBegun: boolean): ModelFailure {
  const chain: Record<string, unknown>[] = []
  for (
    let current = error;
    typeof current === 'object' && current !== null && chain.length < 5;
    current = (current as Error).cause
  )
    chain.push(current as Record<string, unknown>)
  if (chain.some((cause) => cause instanceof ModelFailure))
    return chain.find((cause) => cause instanceof ModelFailure) as never
  if (chain.some((cause) => cause instanceof AddressRefused)) return new ModelFailure('address_refused')
  const response = chain.find(({ statusCode }) => typeof statusCode === 'number')
  const status = Number(response?.statusCode ?? 0)
  // A 200 whose body could not be read is not an error of the provider.
  if (status >= 400)
    return new ModelFailure(faultOfStatus(status), used, status, retryAfterOf(response?.responseHeaders))
  const names = chain.map(({ name }) => String(name))
  if (names.some((name) => name === 'TimeoutError' || name === 'AbortError')) return new ModelFailure('timeout', used)
  const codes = chain.map(({ code }) => String(code)).join(' ')
  const isBroken =
    /ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(codes) ||
    chain.some(({ message }) => /terminated|aborted|premature|socket hang up/i.test(String(message)))
  const isUnconnected = chain.some(({ message }) => /cannot connect|fetch failed/i.test(String(message)))
  if (isUnconnected || /E(CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT)|CERT/.test(codes))
    return new ModelFailure('unreachable', used)
  if (hasBegun || isBroken) return new ModelFailure('cut_off', used)
  return new ModelFailure('malformed', used)
}

/** The header Retry-After in seconds (RFC 9110): a number, or a date. */
function retryAfterOf(headers: unknown): number | null {
  const value = (headers as Record<string, string> | undefined)?.['retry-after']?.trim()
  if (!value) return null
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

function faultOfStatus(status: number): WriterFault {
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'key_refused'
  return status === 404 ? 'not_found' : 'provider_error'
}

/** Whether a model's text is empty, or declines in English. */
function isRefusal(text: string): boolean {
  return (
    text.trim() === '' ||
    /\b(sorry|cannot|can\u2019t|can't|unable to|not able to|won't|will not)\b/i.test(text.slice(0, 200))
  )
}

function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
