import { z } from 'zod'
import { requiredText } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Search')

/** Results per group. */
export const SEARCH_GROUP_SIZE = 5

const SEARCH_KINDS = ['lead', 'list', 'campaign', 'conversation'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

export const SearchItem = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string(),
  /** The page of the result. */
  path: z.string(),
  pictureUrl: z.string().nullable(),
})
export type SearchItem = z.output<typeof SearchItem>

export const SearchGroup = z.object({ kind: z.enum(SEARCH_KINDS), items: z.array(SearchItem) })
export type SearchGroup = z.output<typeof SearchGroup>

export const search = {
  find: route('GET /search', 'viewer', 'none', {
    summary: 'Find leads, lists, campaigns and conversations',
    description: `Leads match by name, handle and bio, conversations by name and text. At most ${SEARCH_GROUP_SIZE} per group, best first; a group without results is left out. Viewers get no conversations.`,
  })
    .input(z.object({ q: requiredText(200) }))
    .output(z.object({ groups: z.array(SearchGroup) })),
}
