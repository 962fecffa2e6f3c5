import { useMutation, useQueryClient } from '@tanstack/react-query'
import { people } from '@x-automated/contract/identity/people'
import { useForm } from 'react-hook-form'
import { api, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'

export function WorkspaceNameCard({ name }: { name: string }) {
  const queries = useQueryClient()
  const form = useForm({ resolver: contractResolver(people.rename), values: { name } })
  const rename = useMutation(
    api.people.rename.mutationOptions({
      onSuccess: () => void toast.success('Name saved.'),
      onError: (error) => showProblems(form, error, errorText(error, 'Failed to save the name. Please try again.')),
      onSettled: () => queries.invalidateQueries({ queryKey: api.auth.key() }),
    }),
  )
  return (
    <Card title="Workspace name" description="Shown in invitations and the workspace switcher.">
      <form
        noValidate
        method="post"
        className="flex max-w-md flex-wrap items-start gap-2"
        onSubmit={form.handleSubmit((values) => rename.mutate(values))}
      >
        <Field
          label="Name"
          hideLabel
          className="min-w-48 flex-1"
          error={(form.formState.errors.name ?? form.formState.errors.root)?.message}
        >
          <Input maxLength={100} autoComplete="organization" {...form.register('name')} />
        </Field>
        <Button type="submit" loading={rename.isPending} disabled={!form.formState.isDirty}>
          Save
        </Button>
      </form>
    </Card>
  )
}
