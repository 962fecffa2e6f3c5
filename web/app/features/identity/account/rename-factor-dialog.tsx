import { type Factor, secondFactors } from '@x-automated/contract/identity/second-factors'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'

interface RenameFactorProps extends ControlledDialogProps {
  factor: Pick<Factor, 'id' | 'name'>
}

/** Renames a second factor. */
export function RenameFactorDialog({ factor: { id, name }, open, onClose }: RenameFactorProps) {
  const form = useForm({ resolver: contractResolver(secondFactors.rename), values: { id, name } })
  const rename = useAction((input: { id: string; name: string }) => client.secondFactors.rename(input), {
    done: (renamed) => `Renamed to “${renamed.name}”.`,
    onSuccess: onClose,
    refetches: [api.secondFactors],
  })
  return (
    <FormDialog
      name="factor-name"
      record={id}
      open={open}
      onClose={onClose}
      title={`Rename “${name}”`}
      label={rename.isPending ? 'Saving…' : 'Save'}
      loading={rename.isPending}
      onSubmit={form.handleSubmit((values) => {
        if (values.name === name) onClose()
        else return rename.run(values)
      })}
    >
      <Field label="New name" error={form.formState.errors.name?.message} required>
        <Input autoComplete="off" {...form.register('name')} />
      </Field>
    </FormDialog>
  )
}
