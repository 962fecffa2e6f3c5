import { useQuery } from '@tanstack/react-query'
import { formatCount, pluralize } from '@x-automated/contract/format'
import type { RefObject } from 'react'
import { api } from '../../../api'
import { Checkbox } from '../../../ui/choice'

/** The API keys that a person created. @param isAdmin whether the user may see API keys */
export function useKeysOf(personId: string, isAdmin: boolean) {
  const list = useQuery({ ...api.apiKeys.list.queryOptions(), enabled: isAdmin })
  return list.data?.keys.filter(({ createdBy }) => createdBy?.id === personId) ?? []
}

/** Says what happens to the data of a person who leaves, and asks whether to keep their API keys. */
export function KeepKeys({
  count,
  whose,
  choice,
}: {
  count: number
  whose: 'their' | 'your'
  choice: RefObject<boolean>
}) {
  const created = `What ${whose === 'their' ? 'they' : 'you'} created stays`
  if (count === 0) return `${created}.`
  const keys = formatCount(count, 'API key')
  return (
    <>
      {`${created}, except ${whose} ${keys}. ${pluralize(count, 'It is', 'They are')} deleted unless you keep ${pluralize(count, 'it', 'them')}.`}
      <Checkbox
        className="pt-3 text-ink"
        label={`Keep ${whose} ${keys}`}
        hint={`${pluralize(count, 'It stays', 'They stay')} suspended until an admin adopts ${pluralize(count, 'it', 'them')}.`}
        onChange={(event) => {
          choice.current = event.currentTarget.checked
        }}
      />
    </>
  )
}
