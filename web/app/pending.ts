import { type QueryKey, useMutationState } from '@tanstack/react-query'

/** Inputs of a mutation's pending calls, including calls made before this page was reopened. */
export function usePending<Input>(mutationKey: QueryKey): Input[] {
  return useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Input,
  })
}
