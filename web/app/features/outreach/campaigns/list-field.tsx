import { useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import { useEffect, useEffectEvent } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { generatePath, Link, useLocation, useSearchParams } from 'react-router'
import { client } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Field } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { type CampaignFormValues, defaultName, listOptionLabel } from './campaign-form-rules'
import { listsProblem } from './campaign-text'

const LISTS_PAGE_SIZE = 100
/** The query parameter with the list, in links that start a campaign. */
export const LIST_PARAM = 'list'

/** Returns a copy of a query without one of its parameters. */
export function without(query: URLSearchParams, name: string): URLSearchParams {
  const rest = new URLSearchParams(query)
  rest.delete(name)
  return rest
}

interface ListFieldProps {
  form: UseFormReturn<CampaignFormValues>
  value: string
  /** Whether the stored draft is in the form. */
  isReady: boolean
  /** Called with the message that the link passes along with the list. */
  onMessage: (message: string) => void
}

/** Selects the list whose leads get the message. */
export function ListField({ form, value, isReady, onMessage }: ListFieldProps) {
  const lists = useQuery({
    queryKey: [['lists', 'all'], {}],
    queryFn: ({ signal }) => findAllLists(signal),
  })
  const selectedList = lists.data?.find(({ id }) => id === value)
  const nameAfter = (list: List | undefined) => {
    // Set as a default value, so that it does not count as typed.
    if (list && form.getValues('name').trim() === '') form.resetField('name', { defaultValue: defaultName(list) })
  }
  const [params, setParams] = useSearchParams()
  const linked = lists.data?.find(({ id }) => id === params.get(LIST_PARAM))
  const only = lists.data?.length === 1 && lists.data[0]?.leadCount ? lists.data[0] : undefined
  const { state } = useLocation()
  const choose = useEffectEvent((list: List) => {
    const { message } = (linked && (state as { message?: string } | null)) || {}
    // Do this first, so that a reload does not apply the link again.
    if (linked) setParams((before) => without(before, LIST_PARAM), { replace: true, preventScrollReset: true })
    if (message) onMessage(message)
    form.resetField('leadListId', { defaultValue: list.id })
    nameAfter(list)
  })
  const first = linked ?? (value === '' ? only : undefined)
  useEffect(() => {
    if (first && isReady) choose(first)
  }, [first, isReady])
  if (lists.isError && !lists.data) return <QueryError query={lists}>{listsProblem(lists.error)}</QueryError>
  if (lists.data?.length === 0)
    return (
      <div className="grid content-start gap-1.5">
        <p className="font-strong">Select Lead List</p>
        <p className="text-muted">
          No lead lists found. Please create a list first.{' '}
          <Link to={paths.lists} className="text-link">
            Go to My Lists
          </Link>
        </p>
      </div>
    )
  return (
    <Field
      label="Select Lead List"
      error={form.formState.errors.leadListId?.message}
      hint={selectedList && <SelectedListHint list={selectedList} />}
      required
    >
      <Select
        placeholder={lists.isPending ? 'Loading lists…' : 'Pick a list'}
        options={(lists.data ?? []).map((list) => ({ value: list.id, label: listOptionLabel(list) }))}
        {...form.register('leadListId', {
          onChange({ target }) {
            form.clearErrors('leadListId')
            nameAfter(lists.data?.find(({ id }) => id === target.value))
          },
        })}
        value={value}
      />
    </Field>
  )
}

function SelectedListHint({ list }: { list: List }) {
  if (list.leadCount > 0) return formatCount(list.leadCount, 'lead')
  return (
    <span className="text-warn">
      This list is empty.{' '}
      <Link to={generatePath(paths.list, { listId: list.id })} className="text-link">
        Add leads
      </Link>
    </span>
  )
}

async function findAllLists(signal: AbortSignal): Promise<List[]> {
  const all: List[] = []
  for (let page = 1; ; page++) {
    const { lists, total } = await client.lists.list({ page, pageSize: LISTS_PAGE_SIZE }, { signal })
    all.push(...lists)
    if (lists.length === 0 || all.length >= total) return all
  }
}
