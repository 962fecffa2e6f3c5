import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useHasRole } from '../../identity/people/use-role'

/** The model that writes; null: only the built-in writer; undefined until known. */
export function useModel() {
  const isMember = useHasRole('member')
  return useQuery(api.writer.provider.queryOptions({ enabled: isMember === true })).data
}
