import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Factor } from '@x-automated/contract/identity/second-factors'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { showFailure, useReauthentication } from '../auth/reauthentication'

interface RenameFactorProps {
  factor: Pick<Factor, 'id' | 'name'>
  open: boolean
  onClose: () => void
}

/** Renames a second factor. */
export function RenameFactorDialog({ factor: { id, name }, open, onClose }: RenameFactorProps) {
  const formId = useId()
  const queries = useQueryClient()
  const form = useForm({ values: { name } })
  const withReauthentication = useReauthentication()
  const rename = useMutation({
    mutationFn: (input: { id: string; name: string }) => withReauthentication(() => client.secondFactors.rename(input)),
    async onSuccess(renamed) {
      await queries.invalidateQueries({ queryKey: api.secondFactors.key() })
      toast.success(`Renamed to “${renamed.name}”.`)
      onClose()
    },
    onError(error) {
      const problem = fieldProblems(error).name
      if (problem) form.setError('name', { message: problem }, { shouldFocus: true })
      else showFailure(error)
    },
  })
  const close = () => {
    form.reset()
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={`Rename “${name}”`}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={rename.isPending}>
            {rename.isPending ? 'Saving…' : 'Save'}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        method="post"
        onSubmit={form.handleSubmit((values) => {
          const wanted = values.name.trim()
          if (wanted === name) close()
          else rename.mutate({ id, name: wanted })
        })}
      >
        <Field label="New name" error={form.formState.errors.name?.message} required>
          <Input
            maxLength={100}
            autoComplete="off"
            {...form.register('name', { validate: (value) => value.trim() !== '' || 'Please enter a name' })}
          />
        </Field>
      </form>
    </Dialog>
  )
}
