import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useHasRole } from '../../identity/people/use-role'

/** The model that writes; null: only the built-in writer; undefined until known. */
export function useModel() {
  const isMember = useHasRole('member')
  const { data: model } = useQuery(api.writer.provider.queryOptions({ enabled: isMember === true }))
  // Only the operator's model may be without a budget by plan.
  const isOperators = model?.from === 'operator'
  const usage = useQuery(api.writer.usage.queryOptions({ input: {}, enabled: isOperators }))
  if (!isOperators || usage.isError) return model
  if (!usage.data) return undefined
  return usage.data.limitCents === 0 || usage.data.limitTokens === 0 ? null : model
}
