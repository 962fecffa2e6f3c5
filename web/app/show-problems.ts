import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { errorText, fieldProblems } from './api'

/** Shows why a call failed: next to the fields concerned, or else `text` as `errors.root`. */
export function showProblems<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: unknown,
  text: string = errorText(error),
): void {
  const problems = Object.entries(fieldProblems(error)).filter(([field]) => field in form.getValues())
  // In reverse, so that the first field ends up with the focus.
  for (const [field, message] of problems.reverse())
    form.setError(field as Path<Values>, { message }, { shouldFocus: true })
  if (problems.length === 0) form.setError('root', { message: text })
}
