import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/** Refetches parts of the API: `const refresh = useRefresh()`, `refresh(api.lists, api.leads)`. */
export function useRefresh(): (...parts: { key(): QueryKey }[]) => Promise<unknown> {
  const queries = useQueryClient()
  return (...parts) => Promise.all(parts.map((part) => queries.invalidateQueries({ queryKey: part.key() })))
}
