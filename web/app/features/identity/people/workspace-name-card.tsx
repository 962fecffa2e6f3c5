import { people } from '@x-automated/contract/identity/people'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { useAction } from '../../../use-action'

/** Renames the workspace. */
export function WorkspaceNameCard({ name }: { name: string }) {
  const form = useForm({
    resolver: contractResolver(people.rename),
    values: { name },
    resetOptions: { keepDirty: true, keepDirtyValues: true },
  })
  const rename = useAction(client.people.rename, {
    done: 'Name saved.',
    onSuccess(_, sent) {
      if (form.getValues('name').trim() === sent.name) form.resetField('name', { defaultValue: sent.name })
    },
    onError: (error) => showProblems(form, error, errorText(error, 'Failed to save the name. Please try again.')),
    refetches: [api.auth],
  })
  return (
    <Card title="Workspace name" description="Shown in invitations and the workspace switcher.">
      <Form
        name="workspace-name"
        className="flex max-w-md flex-wrap items-start gap-2"
        onSubmit={form.handleSubmit((values) => rename.run(values))}
      >
        <Field
          label="Name"
          hideLabel
          className="min-w-48 flex-1"
          error={(form.formState.errors.name ?? form.formState.errors.root)?.message}
        >
          <Input autoComplete="organization" {...form.register('name')} />
        </Field>
        <Button type="submit" loading={rename.isPending} disabled={!form.formState.isDirty}>
          Save name
        </Button>
      </Form>
    </Card>
  )
}
