import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { lists } from '@x-automated/contract/leads/lists'
import { ListPlus } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorText, failureText, refusalText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { QueryError } from '../../../query-error'
import { useSession } from '../../../session'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { cn } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { discardTyped } from '../../../ui/use-typed-text'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { useStartJob } from '../../platform/jobs/use-start-job'
import { isSingle, type Picked, pickedCount, selectionsOf } from './lead-selection'

const LISTS_PAGE_SIZE = 100

interface AddToListProps extends ControlledDialogProps {
  picked: Picked
  onAdded: () => void
}

/** Adds leads to an existing or new list. */
export function AddToList({ picked, onAdded, ...dialog }: AddToListProps) {
  const count = pickedCount(picked)
  const formRef = useRef<HTMLFormElement>(null)
  const refresh = useRefresh()
  const startJobs = useStartJob()
  const [chosen, setChosen] = useState<string | null>(null)
  const { signedIn, found: manualLists } = useManualLists()

  const undo = useAction((entry: { id: string; leadIds: string[] }) => client.lists.removeLeads(entry), {
    done: 'Undone for 1 lead',
    failed: 'Failed to undo. Please try again.',
    refetches: [api.lists, api.leads],
  })
  const close = () => {
    onAdded()
    dialog.onClose()
  }
  const add = useMutation({
    mutationFn: async ({ id, picked }: { id: string; picked: Picked }) => {
      const selections = selectionsOf(picked)
      const [first] = selections
      if (first && isSingle(picked)) return client.lists.addLeads({ id, ...first })
      await startJobs(selections.map((selection) => ({ kind: 'add_to_list', listId: id, ...selection })))
      return null
    },
    onSuccess: (result, { id, picked }) => {
      // A job reports its result itself.
      if (result?.changed === 0) toast.info('These leads are already on this list.')
      else if (result && 'ids' in picked)
        toast.success(`${formatNumber(result.changed)} leads added to the list successfully!`, {
          action: { label: 'Undo', onClick: () => void undo.run({ id, leadIds: picked.ids }) },
        })
      close()
    },
    onError: (error) => toast.error(`Failed to add leads to list: ${errorText(error, 'Unknown error')}`),
    onSettled: () => refresh(api.lists, api.leads),
  })
  const submit = () => {
    if (!signedIn || count === 0) return toast.error('No leads selected or user not found.')
    if (chosen) add.mutate({ id: chosen, picked })
  }

  return (
    <Dialog
      {...dialog}
      title="Add Leads to List"
      description={`${formatCount(count, 'lead')} selected`}
      footer={
        <>
          <Button
            onClick={() => {
              discardTyped(formRef.current)
              dialog.onClose()
            }}
          >
            Cancel
          </Button>
          <Button
            variant="primary"
            disabled={!manualLists.some(({ id }) => id === chosen)}
            loading={add.isPending}
            onClick={submit}
          >
            {add.isPending ? 'Adding…' : 'Add to list'}
          </Button>
        </>
      }
    >
      <ListChoice chosen={chosen} onChoose={setChosen} formRef={formRef} />
    </Dialog>
  )
}

/** Lists that leads can be added to, refetched each time the dialog opens. Smart lists fill automatically. */
function useManualLists() {
  const signedIn = useSession().status === 'signed-in'
  const lists = useInfiniteQuery(
    api.lists.list.infiniteOptions({
      input: (cursor: string | undefined) => ({ pageSize: LISTS_PAGE_SIZE, cursor }),
      initialPageParam: undefined,
      getNextPageParam: (page) => page.cursor ?? undefined,
      enabled: signedIn,
      staleTime: 0,
    }),
  )
  const manualLists = lists.data?.pages.flatMap((page) => page.lists.filter(({ filter }) => !filter)) ?? []
  return { signedIn, lists, found: manualLists }
}

interface ListChoiceProps {
  chosen: string | null
  onChoose: (id: string) => void
  /** Gets the form for a new list. */
  formRef?: RefObject<HTMLFormElement | null>
}

/** Offers the manual lists. Smart lists fill automatically. */
export function ListChoice({ chosen, onChoose, formRef }: ListChoiceProps) {
  const { signedIn, lists, found: manualLists } = useManualLists()
  return (
    <div className="grid gap-5">
      {!signedIn ? (
        <Callout tone="bad">User not found. Cannot fetch lists.</Callout>
      ) : lists.isPending ? (
        <>
          <LoadingText>Loading lists…</LoadingText>
          <SkeletonText lines={4} />
        </>
      ) : lists.isError ? (
        <QueryError query={lists}>
          {failureText(lists.error, 'Failed to fetch your lists', 'An error occurred while fetching lists.')}
        </QueryError>
      ) : manualLists.length > 0 ? (
        <RadioGroup
          label="List"
          hideLabel
          value={chosen}
          onChange={onChoose}
          options={manualLists.map((list) => ({
            value: list.id,
            label: <bdi className="font-strong wrap-anywhere">{list.name}</bdi>,
            hint: (
              <span className="wrap-anywhere">
                {formatCount(list.leadCount, 'lead')}
                {list.description && <> · {list.description}</>}
              </span>
            ),
          }))}
        />
      ) : (
        !lists.hasNextPage && <p className="text-muted">No lists found. Create your first list to get started!</p>
      )}
      {lists.hasNextPage && (
        <Button size="sm" className="w-fit" loading={lists.isFetchingNextPage} onClick={() => lists.fetchNextPage()}>
          Show more lists
        </Button>
      )}
      {signedIn && lists.isSuccess && (
        <NewList formRef={formRef} onCreated={onChoose} first={manualLists.length === 0 && !lists.hasNextPage} />
      )}
    </div>
  )
}

/** Creates a list and selects it. */
function NewList({
  first,
  onCreated,
  formRef,
}: Pick<ListChoiceProps, 'formRef'> & { first: boolean; onCreated: (id: string) => void }) {
  const refresh = useRefresh()
  const form = useForm({ resolver: contractResolver(lists.create), defaultValues: { name: '' } })
  const { errors } = form.formState
  const create = useMutation(
    api.lists.create.mutationOptions({
      onSuccess: async (list) => {
        await refresh(api.lists)
        form.reset()
        onCreated(list.id)
      },
      onError: (error) => showProblems(form, error, refusalText(error, 'Failed to create list. Please try again.')),
    }),
  )
  return (
    <Form
      ref={formRef}
      name="list-of-leads"
      onSubmit={form.handleSubmit((input) => create.mutate(input))}
      className={cn('items-start gap-2', !first && 'border-t border-line pt-4')}
    >
      <Field
        label={first ? 'Name of your first list' : 'Or create a new list'}
        error={(errors.name ?? errors.root)?.message}
      >
        <Input placeholder="Founders in Berlin" {...form.register('name')} />
      </Field>
      <Button type="submit" size="sm" icon={<ListPlus />} loading={create.isPending} className="w-fit">
        Create List
      </Button>
    </Form>
  )
}
