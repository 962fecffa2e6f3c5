import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useHasRole } from '../../identity/people/use-role'

/** The model that writes. Null if there is only the built-in writer, undefined while unknown. */
export function useModel() {
  const isMember = useHasRole('member')
  const { data: model } = useQuery(api.writer.provider.queryOptions({ enabled: isMember === true }))
  // Only the operator's model can have a budget of zero, which depends on the plan.
  const isOperators = model?.from === 'operator'
  const usage = useQuery(api.writer.usage.queryOptions({ input: {}, enabled: isOperators }))
  if (!isOperators || usage.isError) return model
  if (!usage.data) return undefined
  return usage.data.limitCents === 0 || usage.data.limitTokens === 0 ? null : model
}
