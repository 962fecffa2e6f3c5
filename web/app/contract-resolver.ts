import { zodResolver } from '@hookform/resolvers/zod'
import { fieldProblem, predicateOf } from '@x-automated/contract/input-problems'
import type { FieldValues, Resolver } from 'react-hook-form'

/**
 * Validates a form as the server does, with the same messages. It adds zod to a page, so only use
 * it on signed-in pages.
 */
export function contractResolver<Input extends FieldValues, Output>(operation: {
  '~orpc': { inputSchema?: { _zod: { input: Input; output: Output } } | undefined }
}): Resolver<Input, unknown, Output> {
  const { inputSchema } = operation['~orpc']
  if (!inputSchema) throw new Error('This operation has no input')
  const resolve = zodResolver<Input, unknown, Output>(inputSchema, { error: predicateOf })
  return async (values, context, options) => {
    const result = await resolve(values, context, options)
    for (const [field, error] of Object.entries(result.errors))
      if (typeof error?.message === 'string') error.message = fieldProblem(field, error.message).problem
    return result
  }
}
