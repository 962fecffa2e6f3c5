import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { useDebouncedValue } from '../../../ui/use-debounced-value'

/** Templates per page. */
export const TEMPLATES_PAGE_SIZE = 25

export interface TemplateFilter {
  q: string
  /** '' for all. */
  folder: string
  isArchived: boolean
}

/** A page of templates. Searches shortly after the user stops typing. */
export function useTemplates({ q, folder, isArchived }: TemplateFilter, page: number) {
  const wanted = useDebouncedValue(q.trim(), 300)
  return useQuery(
    api.templates.list.queryOptions({
      input: {
        page,
        pageSize: TEMPLATES_PAGE_SIZE,
        isArchived,
        ...(wanted && { q: wanted }),
        ...(folder && { folder }),
      },
      placeholderData: keepPreviousData,
    }),
  )
}
