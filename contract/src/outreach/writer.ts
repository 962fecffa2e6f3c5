import { z } from 'zod'
import { Id, NoInput, requiredText, Time, text, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { Delay } from './steps.ts'
import { MESSAGE_MAX } from './template.ts'
import { LINT_CODES, WRITER_FAULTS } from './writer-text.ts'

const route = routes('AI writer', 'writer')

/** Maximum length of a workspace's description of itself. */
export const ABOUT_MAX = 4_000

const DRAFT_KINDS = ['message', 'sequence', 'rewrite', 'reply'] as const

/** A suggested text, and the parts of the profile or conversation that it uses. */
export const DraftText = z.object({ text: z.string(), factsUsed: z.array(z.string()) })
export const DraftSequence = z.object({
  /** The first step has no delay. */
  steps: z.array(DraftText.extend({ delay: Delay.optional() })),
})
export const Draft = z.union([DraftText, DraftSequence])
export type Draft = z.output<typeof Draft>

const DraftSource = z.enum(['model', 'built_in'])

/** The input of POST /writer/drafts, which responds with server-sent events (server/src/edges/writer-drafts.ts). */
export const DraftsInput = z
  .strictObject({
    kind: z.enum(DRAFT_KINDS),
    /** The purpose of the message: one of WRITER_GOALS, or free text. */
    goal: text(500).optional(),
    audience: text(500).optional(),
    /** One of WRITER_TONES, or free text. */
    tone: text(50).optional(),
    /** A name or an ISO 639-1 code. Defaults to the language of the text or conversation, else English. */
    language: text(50).optional(),
    /** The maximum length of each message, in characters. */
    maxLength: wholeNumber(50, MESSAGE_MAX).optional(),
    /** The text to rewrite. */
    text: requiredText(MESSAGE_MAX).optional(),
    /** How to rewrite the text, such as `shorter` or `translate`. */
    instruction: requiredText(500).optional(),
    conversationId: Id.optional(),
  })
  .superRefine((input, context) => {
    const requireField = (field: 'text' | 'instruction' | 'conversationId') => {
      if (input[field] === undefined) context.addIssue({ code: 'custom', path: [field], message: 'is required' })
    }
    if (input.kind === 'rewrite') for (const field of ['text', 'instruction'] as const) requireField(field)
    if (input.kind === 'reply') requireField('conversationId')
  })
export type DraftsInput = z.output<typeof DraftsInput>

/** The data of the event `done`. Each event `draft` carries one of the `drafts`. */
export const DraftsDone = z.object({
  drafts: z.array(Draft),
  source: DraftSource,
  usage: z.object({ tokens: z.number().int(), cents: z.number().nullable() }),
  /** Why some or all drafts are not the model's. Null if all are, or if no model is configured. */
  fault: z.enum(WRITER_FAULTS).nullable(),
})
export type DraftsDone = z.output<typeof DraftsDone>

export const LintProblem = z.object({
  code: z.enum(LINT_CODES),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The start of the problem in the text, in UTF-16 units. */
  start: z.number().int(),
  end: z.number().int(),
})
export type LintProblem = z.output<typeof LintProblem>

export const PROVIDER_KINDS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

const price = z.number().min(0).max(1_000_000).nullish()

/** The model that writes. Members below admin get only `kind`, `model` and `from`. */
export const Provider = z.object({
  kind: z.enum(PROVIDER_KINDS),
  model: z.string(),
  /** `operator`: the server's operator pays, within the plan's allowance. */
  from: z.enum(['workspace', 'operator']),
  baseUrl: z.string().nullish(),
  /** The last characters of the key; null if there is no key. */
  keyEnding: z.string().nullish(),
  inputCentsPerMillion: z.number().nullish(),
  outputCentsPerMillion: z.number().nullish(),
  /** The budget per UTC month; null if unlimited. */
  budgetCents: z.number().nullish(),
  budgetTokens: z.number().int().nullish(),
  updatedAt: Time.nullish(),
})
export type Provider = z.output<typeof Provider>

const ProviderInput = z
  .strictObject({
    kind: z.enum(PROVIDER_KINDS),
    baseUrl: text(500).nullish(),
    model: requiredText(200),
    /** Omit this to keep the stored key. */
    apiKey: requiredText(500)
      .refine((key) => /^[!-~]*$/.test(key), 'must have no spaces, accents or line breaks')
      .optional(),
    inputCentsPerMillion: price,
    outputCentsPerMillion: price,
    budgetCents: wholeNumber(0, 100_000_000).nullish(),
    budgetTokens: wholeNumber(0, 1_000_000_000_000).nullish(),
  })
  .superRefine(({ kind, baseUrl, inputCentsPerMillion, outputCentsPerMillion }, context) => {
    if (kind === 'openai_compatible' && !baseUrl)
      context.addIssue({ code: 'custom', path: ['baseUrl'], message: 'is required' })
    // With only one price, the cost of calls could not be computed.
    const [hasInput, hasOutput] = [inputCentsPerMillion != null, outputCentsPerMillion != null]
    if (hasInput !== hasOutput)
      context.addIssue({
        code: 'custom',
        path: [hasInput ? 'outputCentsPerMillion' : 'inputCentsPerMillion'],
        message: 'Enter both prices, or none.',
      })
  })

const Usage = z.object({
  /** A UTC month, such as `2026-11`. */
  month: z.string(),
  tokens: z.number().int(),
  cents: z.number(),
  limitTokens: z.number().int().nullable(),
  limitCents: z.number().nullable(),
  resetsAt: Time,
  members: z.array(z.object({ id: z.string(), name: z.string(), tokens: z.number().int(), cents: z.number() })),
})
export type WriterUsage = z.output<typeof Usage>

const About = z.object({ text: z.string() })

export const writer = {
  lint: route('POST /writer/lint', 'member', 'none', {
    summary: 'Check a message for problems that lower its reply rate',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.strictObject({ text: text(MESSAGE_MAX * 2), campaignId: Id.optional() }))
    .output(z.object({ problems: z.array(LintProblem) })),

  provider: route('GET /writer/provider', 'member', 'none', {
    byKey: false,
    summary: 'Get the AI model in use, or null',
    description: 'Members below admin get kind, model and from only.',
  }).output(Provider.nullable()),

  saveProvider: route('PUT /writer/provider', 'admin', 'rows', {
    summary: 'Configure a model of your own',
    description: 'The key is stored encrypted and never returned. Enter it again for another kind or address.',
  })
    .input(ProviderInput)
    .output(Provider),

  removeProvider: route('DELETE /writer/provider', 'admin', 'rows', {
    summary: 'Remove your own model and its key',
  }).input(NoInput),

  testProvider: route('POST /writer/provider/test', 'admin', 'unkeyed', {
    summary: 'Call the model once',
    errors: ['MODEL_NOT_CONFIGURED', 'MODEL_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(z.object({ success: z.literal(true), milliseconds: z.number().int(), model: z.string() })),

  about: route('GET /writer/about', 'member', 'none', {
    summary: 'Get what the workspace says about itself',
  }).output(About),

  saveAbout: route('PUT /writer/about', 'admin', 'rows', {
    summary: 'Change what the workspace says about itself',
    description: 'The model may use these facts, and its links and prices, in every text.',
  })
    .input(z.strictObject({ text: text(ABOUT_MAX) }))
    .output(About),

  usage: route('GET /writer/usage', 'member', 'none', {
    summary: 'Get the tokens and cents of a month, by member',
    description: 'Members below admin get only their own row. The limits are those of the current month.',
  })
    .input(
      z.strictObject({
        month: z
          .string()
          .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
          .optional(),
      }),
    )
    .output(Usage),
}
