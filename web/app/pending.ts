import { type QueryKey, useMutationState } from '@tanstack/react-query'

/** Inputs of a mutation's pending calls, including those made before this page was opened again. */
export function usePending<Input>(mutationKey: QueryKey): Input[] {
  return useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Input,
  })
}
