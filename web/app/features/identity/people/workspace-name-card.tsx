import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { api, errorText, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'

export function WorkspaceNameCard({ name }: { name: string }) {
  const queries = useQueryClient()
  const form = useForm({ values: { name } })
  const rename = useMutation(
    api.people.rename.mutationOptions({
      onSuccess: () => void toast.success('Name saved.'),
      onError(error) {
        const problem = fieldProblems(error).name
        if (problem) form.setError('name', { message: problem })
        else toast.error(errorText(error, 'Failed to save the name. Please try again.'))
      },
      onSettled: () => queries.invalidateQueries({ queryKey: api.auth.key() }),
    }),
  )
  return (
    <Card title="Workspace name" description="Shown in invitations and the workspace switcher.">
      <form
        noValidate
        method="post"
        className="flex max-w-md flex-wrap items-start gap-2"
        onSubmit={form.handleSubmit((values) => rename.mutate({ name: values.name.trim() }))}
      >
        <Field label="Name" hideLabel className="min-w-48 flex-1" error={form.formState.errors.name?.message}>
          <Input
            maxLength={100}
            autoComplete="organization"
            {...form.register('name', { validate: (value) => value.trim() !== '' || 'Please enter a name' })}
          />
        </Field>
        <Button type="submit" loading={rename.isPending} disabled={!form.formState.isDirty}>
          Save
        </Button>
      </form>
    </Card>
  )
}
