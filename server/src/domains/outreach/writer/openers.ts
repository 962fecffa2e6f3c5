import { oneLine } from '@x-automated/contract/message-value'
import { readSegments } from '@x-automated/contract/outreach/template'
import { DraftText } from '@x-automated/contract/outreach/writer'
import type { WriterFault } from '@x-automated/contract/outreach/writer-text'
import { detectLanguage } from '../../../core/classifier/model.ts'
import { aboutOf } from './about.ts'
import { usedOf } from './budget.ts'
import { writeBuiltInOpener } from './built-in.ts'
import { quotes } from './checks.ts'
import { type Facts, unmarkText, usableFacts } from './data.ts'
import { callModel, type MadeCall, type WriterContext } from './engine.ts'
import { centsOf, costOf } from './prices.ts'
import type { Quoted } from './prompts.ts'
import { findModel, type ModelProvider } from './provider.ts'

/** Maximum length of an opener, in characters. */
const OPENER_MAX = 250
const OPENER_TOKENS = 600
/** The number of characters from which a message's language is detected. */
const LANGUAGE_MIN = 60
/** Tokens that a call for an opener typically uses, in addition to the message and the text about the sender. */
const TYPICAL = { input: 650, output: 80 }
const CHARACTERS_PER_TOKEN = 4

interface OpenerInput {
  facts: Facts
  /** The template that will contain the opener. Its links, handles and numbers may be used. */
  template: string
  /** The workspace's description of itself. */
  about: string
  signal?: AbortSignal | undefined
}

export interface WrittenOpener {
  /** Null: neither the model nor the built-in writer found anything to say. */
  text: string | null
  factsUsed: string[]
  source: 'model' | 'built_in'
  /** Why the model did not write the opener; null: it did, or was not asked. `budget`: the call was never made. */
  fault: WriterFault | null
  /** With the fault `rate_limited`: how long to wait, if the provider reported it. */
  retryAfterSeconds: number | null
  /** The calls to pass to `settle` in the transaction that stores the opener. */
  calls: MadeCall[]
}

/**
 * Writes one opener. Call it outside any transaction, because it may wait for a model. @param model
 * null: the built-in writer
 */
export async function writeOpener(
  context: WriterContext,
  by: { workspaceId: string; userId: string | null },
  { facts, template, about, signal }: OpenerInput,
  model: ModelProvider | null,
): Promise<WrittenOpener> {
  const builtIn = writeBuiltInOpener(facts)
  const fallback = { text: builtIn?.text ?? null, factsUsed: builtIn?.factsUsed ?? [], source: 'built_in' as const }
  const unasked = { ...fallback, fault: null, retryAfterSeconds: null, calls: [] }
  if (!model) return unasked
  const usable = usableFacts(facts)
  const data = (Object.keys(usable) as (keyof Facts)[]).map((field): Quoted => ({ field, text: usable[field] }))
  // Without any facts about the person, a model could only invent.
  if (!usable.bio && !usable.website && !usable.source) return unasked
  const language = languageOf(template)
  const elements = callModel(context, model, by, {
    form: '{"text": string, "factsUsed": [string]}',
    element: DraftText,
    count: 1,
    task: [
      'Task: write one sentence that opens a message to a person, based on what is known of them. No greeting and no name.',
      `Language: ${language ?? 'that of the message'}`,
      `The text has at most ${OPENER_MAX} characters.`,
      `The message that it opens: ${template}`,
      about !== '' && `About the sender: ${about}`,
    ],
    data,
    bounds: {
      allowed: `${template}\n${about}`,
      maxLength: OPENER_MAX,
      language,
      kept: [],
      isAnswer: false,
      hasVariables: false,
    },
    textsOf: (written) => [written],
    maxOutputTokens: OPENER_TOKENS,
    signal,
  })
  const first = await elements.next()
  let next = first
  while (!next.done) next = await elements.next()
  if (first.done) return { ...fallback, ...next.value }
  const { calls } = next.value
  const profile = data.map(({ text }) => text).join('\n')
  // Facts in the message itself may be used, too, but they are not about the person.
  const factsUsed = first.value.factsUsed.map(unmarkText).filter((fact) => fact.trim() !== '' && quotes(profile, fact))
  return { text: oneLine(first.value.text), factsUsed, source: 'model', fault: null, retryAfterSeconds: null, calls }
}

/** The language of a message as ISO 639-1; null: the message is too short to tell. */
function languageOf(template: string): string | null {
  const parts = readSegments(template).map((part) =>
    part.kind === 'words' ? part.words : 'fallback' in part ? part.fallback : ' ',
  )
  const text = parts.join('')
  return text.length < LANGUAGE_MIN ? null : detectLanguage(text)
}

/** Estimates the cost of openers for `leads` people, and whether it fits the budget. @param template see OpenerInput */
export async function estimateOpeners(
  context: WriterContext,
  workspaceId: string,
  { leads, template }: { leads: number; template: string },
) {
  const model = await findModel(context, workspaceId)
  if (!model) return { model: null, tokens: 0, costCents: null, remainingCents: null, fits: true }
  const about = await aboutOf(context.db, { workspaceId })
  const input = TYPICAL.input + Math.ceil((template.length + about.length) / CHARACTERS_PER_TOKEN)
  const { tokens, microcents } = costOf(model.price, input * leads, TYPICAL.output * leads)
  const used = await usedOf(context.db, { workspaceId, payer: model.from })
  const { limits } = model
  const remainingCents = limits.cents === null ? null : Math.max(0, limits.cents - centsOf(used.microcents))
  const fits =
    (limits.tokens === null || used.tokens + tokens <= limits.tokens) &&
    (remainingCents === null || centsOf(microcents ?? 0) <= remainingCents)
  return { model, tokens, costCents: microcents === null ? null : centsOf(microcents), remainingCents, fits }
}
