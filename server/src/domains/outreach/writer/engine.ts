import { randomBytes } from 'node:crypto'
import type { WriterFault } from '@x-automated/contract/outreach/writer-text'
import type { z } from 'zod'
import { detectLanguage } from '../../../core/classifier/model.ts'
import { type ModelCall, ModelFailure, type Models, type TokensUsed } from '../../../outside/models.ts'
import { type Payer, type Reservation, reserve } from './budget.ts'
import type { Written } from './built-in.ts'
import { type Bounds, findProblem, isOtherLanguage } from './checks.ts'
import { type Cost, costOf, tokensAtMost } from './prices.ts'
import { promptOf, type Quoted, systemOf } from './prompts.ts'
import type { ModelProvider, ProviderContext } from './provider.ts'

export interface WriterContext extends ProviderContext {
  models: Models
}

/** A request to the model for several elements. */
export interface Request<Element> {
  /** The JSON shape of an element, for the prompt. */
  form: string
  /** The schema of an element. */
  element: z.ZodType<Element>
  count: number
  task: readonly (string | null | undefined | false)[]
  data: readonly Quoted[]
  bounds: Omit<Bounds, 'data' | 'nonce'>
  /** The texts of an element that must be checked; null: it has too few or too many. */
  textsOf(element: Element): readonly Written[] | null
  maxOutputTokens: number
  /** Aborts once nobody is waiting for the response. */
  signal?: AbortSignal | undefined
}

/** A call's reservation, and what it used. */
export interface MadeCall {
  reservation: Reservation
  used: Cost
}

interface Outcome {
  /** Why elements are missing; null: all are there. */
  fault: WriterFault | null
  /** With the fault `rate_limited`: how long to wait, if the provider reported it. */
  retryAfterSeconds: number | null
  /** The calls to settle in the transaction that stores the output. */
  calls: MadeCall[]
}

/** Faults that a second try would not change. */
const FINAL = new Set<WriterFault>(['budget', 'rate_limited', 'key_refused', 'not_found', 'address_refused', 'timeout'])
/** Faults of texts that must not be shown. The model itself was reached. */
export const TEXT_FAULTS = new Set<WriterFault>(['other_language', 'too_long', 'unusable'])
/** Faults of calls that never reached a model. They cost nothing. */
export const UNCHARGED = new Set<WriterFault>([
  'rate_limited',
  'key_refused',
  'not_found',
  'address_refused',
  'provider_error',
  'unreachable',
])
const TRIES = 2

/** Yields the elements that pass the checks. Tries once more for the missing ones. Never throws a ModelFailure. */
export async function* callModel<Element>(
  context: WriterContext,
  model: ModelProvider,
  by: Pick<Payer, 'workspaceId' | 'userId'>,
  request: Request<Element>,
): AsyncGenerator<Element, Outcome> {
  const calls: MadeCall[] = []
  const seen = new Set<string>()
  let missing = request.count
  let fault: WriterFault | null = null
  let retryAfterSeconds: number | null = null
  let sendsSchema = true
  for (let attempt = 0; attempt < TRIES && missing > 0; attempt += 1) {
    const { call, bounds } = callOf(model, request, missing, sendsSchema)
    const most = costOf(model.price, tokensAtMost(call.system + call.prompt), call.maxOutputTokens)
    const reservation = await reserve(context.db, { ...by, payer: model.from }, model.limits, most)
    if (!reservation) return { fault: 'budget', retryAfterSeconds, calls }
    // Until the provider reports what a call used, its maximum counts.
    const made: MadeCall = { reservation, used: { tokens: reservation.tokens, microcents: reservation.microcents } }
    calls.push(made)
    const settleWith = (used: TokensUsed) => {
      made.used = costOf(model.price, used.input, used.output)
    }
    fault = null
    try {
      const elements = context.models.stream(call)
      let next = await elements.next()
      for (; !next.done; next = await elements.next()) {
        if (missing === 0) continue
        const texts = request.textsOf(next.value)
        const key = JSON.stringify(texts?.map(({ text }) => text))
        const problem = !texts || seen.has(key) ? 'unusable' : faultOf(texts, bounds)
        if (problem) {
          fault = problem
          continue
        }
        seen.add(key)
        missing -= 1
        yield next.value
      }
      if (next.value) settleWith(next.value)
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      fault = error.code
      retryAfterSeconds = error.retryAfterSeconds
      if (error.used) settleWith(error.used)
      else if (UNCHARGED.has(fault)) settleWith({ input: 0, output: 0 })
      if (FINAL.has(fault)) break
      // Some servers refuse the schema. The system message contains the shape as well.
      if (error.status === 400 || error.status === 422) sendsSchema = false
    }
  }
  return { fault: missing > 0 ? (fault ?? 'unusable') : null, retryAfterSeconds, calls }
}

function callOf<Element>(model: ModelProvider, request: Request<Element>, count: number, sendsSchema: boolean) {
  const nonce = randomBytes(6).toString('hex')
  const task = [...request.task, `Write ${count} ${count === 1 ? 'element' : 'elements that differ'}.`]
  const call: ModelCall<Element> = {
    kind: model.kind,
    baseUrl: model.baseUrl,
    model: model.model,
    apiKey: model.apiKey,
    isGuarded: model.from === 'workspace' && model.baseUrl !== null,
    system: systemOf(request.form),
    prompt: promptOf(task, request.data, nonce),
    element: request.element,
    maxOutputTokens: request.maxOutputTokens,
    sendsSchema,
    signal: request.signal,
  }
  const bounds: Bounds = { ...request.bounds, nonce, data: request.data.map(({ text }) => text).join('\n') }
  return { call, bounds }
}

/** Why the first failing text must not be shown; null: all pass. */
function faultOf(texts: readonly Written[], bounds: Bounds): WriterFault | null {
  for (const written of texts) {
    const problem = findProblem(written, bounds)
    if (problem) return problem === 'length' ? 'too_long' : 'unusable'
    if (isOtherLanguage(written.text, bounds.language, detectLanguage(written.text))) return 'other_language'
  }
  return null
}
