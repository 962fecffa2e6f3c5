import { inputProblems } from '@x-automated/contract/input-problems'
import type { z } from 'zod'
import { Refusal } from '../refusal.ts'

/** Parses the query or body of a request to an edge. @throws Refusal INVALID_INPUT with the problem of each field */
export function readInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const read = schema.safeParse(input)
  if (read.success) return read.data
  const details = inputProblems(read.error.issues)
  throw new Refusal('INVALID_INPUT', details[0]?.problem, { details })
}
