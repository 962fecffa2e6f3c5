import { client } from '../../api'

const PAGE_SIZE = 100
/** Pages that are asked for at the same time. */
const AT_ONCE = 4

/**
 * The ids of every lead in a list. The API tells members by pages only, so a long list takes several calls.
 * @param signal ends the calls when nobody waits for the answer any more
 */
export async function findMemberIds(listId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const read = (page: number) => client.lists.leads({ id: listId, page, pageSize: PAGE_SIZE }, { signal })
  const first = await read(1)
  const ids = new Set(first.leads.map((lead) => lead.id))
  const pages = Math.ceil(first.total / PAGE_SIZE)
  for (let page = 2; page <= pages; page += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, pages - page + 1) }, (_, index) => read(page + index))
    for (const { leads } of await Promise.all(some)) for (const lead of leads) ids.add(lead.id)
  }
  return ids
}

/** Stands under the key of the lists, so that whatever changes a list makes it stale. */
export function memberIdsQuery(listId: string) {
  return {
    queryKey: [['lists', 'memberIds'], { input: { id: listId } }],
    queryFn: ({ signal }: { signal: AbortSignal }) => findMemberIds(listId, signal),
  }
}
