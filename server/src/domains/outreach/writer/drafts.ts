import { STEPS_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import {
  type Draft,
  DraftSequence,
  type DraftsDone,
  type DraftsInput,
  DraftText,
} from '@x-automated/contract/outreach/writer'
import { faultText, type WriterFault } from '@x-automated/contract/outreach/writer-text'
import { and, eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { detectLanguage } from '../../../core/classifier/model.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { find as findConversation } from '../conversations/conversations.ts'
import { list as listSnippets } from '../snippets/snippets.ts'
import { aboutOf } from './about.ts'
import { beyondBudget, settle } from './budget.ts'
import { writeMessages, writeSequences } from './built-in.ts'
import { languageCode, optOutSentences } from './checks.ts'
import { cleanText, commandsModel } from './data.ts'
import { callModel, type MadeCall, type Request, TEXT_FAULTS, type WriterContext } from './engine.ts'
import { centsOf } from './prices.ts'
import type { Quoted } from './prompts.ts'
import { findModel, type ModelProvider } from './provider.ts'

const TEXT_FORM = '{"text": string, "factsUsed": [string]}'
const SEQUENCE_FORM =
  '{"steps": [{"text": string, "factsUsed": [string], "delay": {"amount": number, "unit": "days"}}]} with 3 steps, the first without a delay'

/** The number of drafts of each kind. */
const COUNTS = { message: 3, sequence: 3, rewrite: 1, reply: 2 } as const

/** The length of a message, in characters, if none was requested. */
const LENGTH_DEFAULT = 400
/** Tokens for the JSON around the texts, and for models that think first. */
const TOKENS_AROUND = 1_000

/**
 * Writes drafts one by one, until `signal` aborts. Returns what the event `done` reports. @throws
 * Refusal CONVERSATION_NOT_FOUND; MODEL_NOT_CONFIGURED, BUDGET_EXCEEDED, MODEL_UNAVAILABLE if the
 * built-in writer cannot replace the model
 */
export async function* writeDrafts(
  context: WriterContext,
  actor: Actor,
  input: DraftsInput,
  signal?: AbortSignal,
): AsyncGenerator<Draft, DraftsDone> {
  const { workspaceId, userId } = actor
  // Read first, so that an unknown conversation is refused with or without a model.
  const conversation = input.kind === 'reply' ? await readConversation(context, actor, input) : null
  const model = await findModel(context, workspaceId)
  const hasBuiltIn = input.kind === 'message' || input.kind === 'sequence'
  if (!model && !hasBuiltIn) throw new Refusal('MODEL_NOT_CONFIGURED')
  const drafts: Draft[] = []
  let fault: WriterFault | null = null
  let usage: DraftsDone['usage'] = { tokens: 0, cents: null }
  if (model) {
    const own = await aboutOf(context.db, actor)
    const request = await requestOf(context, actor, input, own, conversation)
    const elements = callModel(context, model, { workspaceId, userId }, { ...request, signal })
    let next = await elements.next()
    for (; !next.done; next = await elements.next()) {
      drafts.push(next.value)
      yield next.value
    }
    fault = next.value.fault
    await settle(context.db, next.value.calls)
    usage = usageOf(model, next.value.calls)
    if (fault && drafts.length === 0 && !hasBuiltIn) throw await refusalOf(context, actor, model, fault)
  }
  if (drafts.length > 0) return { drafts, source: 'model', usage, fault }
  const written = input.kind === 'sequence' ? writeSequences(input) : writeMessages(input)
  yield* written
  const hasBudget = model?.limits.cents !== 0 && model?.limits.tokens !== 0
  return { drafts: written, source: 'built_in', usage, fault: hasBudget ? fault : 'no_budget' }
}

function usageOf(model: ModelProvider, calls: readonly MadeCall[]): DraftsDone['usage'] {
  const sum = (field: 'tokens' | 'microcents') => calls.reduce((total, { used }) => total + (used[field] ?? 0), 0)
  return { tokens: sum('tokens'), cents: model.price && centsOf(sum('microcents')) }
}

async function refusalOf(
  { db }: WriterContext,
  actor: Actor,
  model: ModelProvider,
  fault: WriterFault,
): Promise<Refusal> {
  if (fault === 'budget') return beyondBudget(db, { workspaceId: actor.workspaceId, payer: model.from }, model.limits)
  return new Refusal('MODEL_UNAVAILABLE', faultText(fault), { details: { fault } })
}

interface Conversation {
  /**
   * The person's name and the latest messages, newest first. Our messages may quote strangers, such
   * as names or imported columns.
   */
  data: Quoted[]
  /** The template of the campaign's first message, which shows its goal; '' outside campaigns. */
  template: string
}

async function requestOf(
  { db }: WriterContext,
  actor: Actor,
  input: DraftsInput,
  about: string,
  conversation: Conversation | null,
): Promise<Request<Draft>> {
  const maxLength = input.maxLength ?? (input.kind === 'rewrite' ? MESSAGE_MAX : LENGTH_DEFAULT)
  const isSequence = input.kind === 'sequence'
  const snippets = conversation ? (await listSnippets(db, actor)).snippets.map(({ text }) => text) : []
  const wish = [input.goal, input.audience, input.tone, input.instruction, input.text]
  const language = languageOf(input, conversation)
  return {
    form: isSequence ? SEQUENCE_FORM : TEXT_FORM,
    element: (isSequence ? DraftSequence : DraftText) as Request<Draft>['element'],
    count: COUNTS[input.kind],
    task: [
      TASKS[input.kind],
      input.goal && `Goal: ${input.goal}`,
      input.audience && `Audience: ${input.audience}`,
      input.tone && `Tone: ${input.tone}`,
      input.instruction && `How: ${input.instruction}`,
      `Language: ${input.language ?? language ?? 'that of the text or conversation'}`,
      `Each text has at most ${maxLength} characters.`,
      input.kind === 'message' || isSequence ? 'Begin with the variable {first_name} where a name belongs.' : null,
      about !== '' && `About the sender: ${about}`,
      snippets.length > 0 && `Texts that the sender uses: ${snippets.join(' | ').slice(0, 4_000)}`,
      conversation?.template && `The message that the sender first sent to many people: ${conversation.template}`,
      input.text && `Text: ${input.text}`,
    ],
    data: conversation?.data ?? [],
    bounds: {
      allowed: [...wish, about, ...snippets, conversation?.template].filter(Boolean).join('\n'),
      maxLength,
      language: languageCode(input.language ?? '') ?? language,
      kept:
        input.kind === 'rewrite' && !/translat/i.test(input.instruction ?? '') ? optOutSentences(input.text ?? '') : [],
      isAnswer: input.kind === 'reply',
      hasVariables: input.kind !== 'reply',
    },
    textsOf,
    maxOutputTokens:
      TOKENS_AROUND + Math.ceil((COUNTS[input.kind] * (isSequence ? 3 : 1) * Math.min(maxLength, 2_000)) / 2),
  }
}

/** The messages of a draft; null: it has too few or too many for a campaign. */
function textsOf(draft: Draft) {
  if (!('steps' in draft)) return [draft]
  const { length } = draft.steps
  return length > 0 && length <= STEPS_MAX ? draft.steps : null
}

const TASKS: Record<DraftsInput['kind'], string> = {
  message: 'Task: write a first message to people who do not know the sender.',
  sequence: 'Task: write a sequence of messages: a first one and two short follow-ups for people who have not replied.',
  rewrite: 'Task: rewrite the text below. Keep its meaning, its facts, and every sentence that says how to opt out.',
  reply: 'Task: write the sender\u2019s next answer in a conversation.',
}

/** Minimum length of a text whose language is detected, in characters. */
const LANGUAGE_FROM = 40

/** The language to expect if the user named none; null: unknown, or they named one. */
function languageOf(
  { kind, text, instruction, language }: DraftsInput,
  conversation: Conversation | null,
): string | null {
  if (language) return null
  if (kind === 'message' || kind === 'sequence') return 'en'
  if (kind === 'rewrite')
    return /translat/i.test(instruction ?? '') || (text ?? '').length < LANGUAGE_FROM
      ? null
      : detectLanguage(text ?? '')
  const last = conversation?.data.find(({ field }) => field === 'them')?.text ?? ''
  return last.length < LANGUAGE_FROM ? null : detectLanguage(last)
}

function usable(text: string, max: number): string {
  const cleaned = cleanText(text, max)
  return commandsModel(cleaned) ? '' : cleaned
}

/** How many messages of a conversation a model sees, newest first. */
const MESSAGES_SHOWN = 10

async function readConversation(
  { db }: WriterContext,
  actor: Actor,
  { conversationId = '' }: DraftsInput,
): Promise<Conversation> {
  const { messages, lead, campaignId } = await findConversation(db, actor, { id: conversationId })
  // A failed message may not have reached the person.
  const quoted = messages.flatMap(({ text, isOurs, status }): Quoted[] =>
    text === null || status === 'failed' ? [] : [{ field: isOurs ? 'us' : 'them', text: usable(text, 1_000) }],
  )
  return {
    data: [{ field: 'name', text: usable(lead.name, 80) }, ...quoted.slice(0, MESSAGES_SHOWN)],
    template: campaignId === null ? '' : await firstTemplateOf(db, actor, campaignId),
  }
}

async function firstTemplateOf(db: Db, { workspaceId }: Actor, campaignId: string): Promise<string> {
  const [campaign] = await db
    .select({ template: campaigns.messageTemplate })
    .from(campaigns)
    .where(and(eq(campaigns.workspaceId, workspaceId), eq(campaigns.id, campaignId), eq(campaigns.kind, 'campaign')))
  return campaign?.template ?? ''
}

/** Calls the model once. @throws Refusal MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE */
export async function testProvider(context: WriterContext, { workspaceId, userId }: Actor, signal?: AbortSignal) {
  const model = await findModel(context, workspaceId)
  if (!model) throw new Refusal('MODEL_NOT_CONFIGURED')
  const since = performance.now()
  const elements = callModel(
    context,
    model,
    { workspaceId, userId },
    {
      form: TEXT_FORM,
      element: DraftText,
      count: 1,
      task: ['Task: write a friendly greeting of at most ten words.'],
      data: [],
      bounds: { allowed: '', maxLength: MESSAGE_MAX, language: null, kept: [], isAnswer: false, hasVariables: false },
      textsOf: (draft) => [draft],
      maxOutputTokens: TOKENS_AROUND,
      signal,
    },
  )
  let next = await elements.next()
  while (!next.done) next = await elements.next()
  const { fault, calls } = next.value
  await settle(context.db, calls)
  if (fault && !TEXT_FAULTS.has(fault)) throw new Refusal('MODEL_UNAVAILABLE', faultText(fault), { details: { fault } })
  return { success: true as const, milliseconds: Math.round(performance.now() - since), model: model.model }
}
