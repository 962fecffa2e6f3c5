import { type QueryKey, useMutationState } from '@tanstack/react-query'

/**
 * What a change that is under way was asked for, for each time it was: also where the page that asked was left and opened again.
 * @param mutationKey of the operation: `api.lists.duplicate.mutationKey()`
 */
export function usePending<Input>(mutationKey: QueryKey): Input[] {
  return useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Input,
  })
}
