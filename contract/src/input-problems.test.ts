import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { fieldProblem, inputProblems, predicateOf } from './input-problems.ts'

beforeAll(() => void z.config({ customError: predicateOf }))
// zod's configuration is global.
afterAll(() => void z.config({ customError: undefined }))

const problemsOf = (schema: z.ZodType, input: unknown) => inputProblems(schema.safeParse(input).error?.issues ?? [])
const WholeNumber = z.union([z.number(), z.string().regex(/^\d+$/, 'must be a whole number')])

it.each([
  [z.string(), undefined, 'Lead list ID is required.'],
  [z.string().min(1), '', 'Lead list ID is required.'],
  [z.string().min(8), 'short', 'Lead list ID must have at least 8 characters.'],
  [z.string().max(1), 'long', 'Lead list ID must have at most 1 character.'],
  [z.string(), 5, 'Lead list ID must be text.'],
  [z.number(), '5', 'Lead list ID must be a number.'],
  [z.number().int(), 1.5, 'Lead list ID must be a whole number.'],
  [z.number().max(1_000), 1_001, 'Lead list ID must be at most 1,000.'],
  [z.boolean(), null, 'Lead list ID must be true or false.'],
  [z.enum(['api', 'extension']), 'x', 'Lead list ID must be api or extension.'],
  [WholeNumber, 'x', 'Lead list ID must be a whole number.'],
  [WholeNumber, null, 'Lead list ID must be a number or text.'],
  [z.union([z.boolean(), z.enum(['true', 'false'])]), 5, 'Lead list ID must be true or false.'],
  [z.string().regex(/x/), 'y', 'Lead list ID has the wrong format.'],
  [z.string({ error: 'Please enter a list' }), undefined, 'Please enter a list'],
])('says in a sentence what is wrong with a field (%#)', (schema, value, problem) => {
  expect(problemsOf(z.object({ leadListId: schema }), { leadListId: value })).toEqual([
    { field: 'leadListId', problem },
  ])
})

it('reports one problem per field', () => {
  expect(problemsOf(z.object({ ids: z.array(z.string()).max(2) }), { ids: 'long' })).toEqual([
    { field: 'ids', problem: 'IDs must be a list.' },
  ])
})

it('names entries of lists, fields of fields, unknown fields and the whole body', () => {
  const schema = z.strictObject({ handles: z.array(z.string()), hours: z.strictObject({ start: z.string() }) })
  expect(problemsOf(schema, { handles: ['a', 5], hours: { end: 1 }, extra: 1 })).toEqual([
    { field: 'handles.1', problem: 'Entry 2 of handles must be text.' },
    { field: 'hours.start', problem: 'Start is required.' },
    { field: 'hours.end', problem: '“end” is not a field of this call.' },
    { field: 'extra', problem: '“extra” is not a field of this call.' },
  ])
  for (const body of [undefined, null, [], 'text'])
    expect(problemsOf(schema, body)).toEqual([{ field: '', problem: 'The body must be a JSON object.' }])
})

it('keeps full sentences, and uses the plural for plural fields', () => {
  expect(fieldProblem('cursor', 'Enter another page.').problem).toBe('Enter another page.')
  expect(
    ['handles', 'status', 'basis', 'billingAddress'].map((field) => fieldProblem(field, 'is required').problem),
  ).toEqual(['Handles are required.', 'Status is required.', 'Basis is required.', 'Billing address is required.'])
})
