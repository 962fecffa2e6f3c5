import { z } from 'zod'

/** How a model behaves, by its name. `stand-in` behaves well, `stand-in-429` refuses each call, and so on. */
export const HABITS = [
  '429',
  '500',
  'slow',
  'cut',
  'malformed',
  'refusal',
  'language',
  'long',
  'schemaless',
  'hijacked',
] as const
export type Habit = (typeof HABITS)[number]

/** A request for a completion. */
export const Call = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  stream: z.boolean().default(false),
  max_tokens: z.number().optional(),
  response_format: z.object({ type: z.string(), json_schema: z.object({ schema: z.unknown() }).optional() }).optional(),
})
export type Call = z.infer<typeof Call>
