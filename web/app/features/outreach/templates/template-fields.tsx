import { useQuery } from '@tanstack/react-query'
import { SHARING_IS_AGENCY, TEMPLATE_LIMITS } from '@x-automated/contract/outreach/template-limits'
import { type ReactNode, useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { api, errorCode, refusalText } from '../../../api'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { SeePlans } from '../../platform/billing/usage-notice'

/** A template's properties, except its messages. */
export interface TemplateDraft {
  name: string
  folder: string
  isShared: boolean
}

type TemplateForm = UseFormReturn<TemplateDraft>

/** The fields in the format of a request. */
export function templateInput({ name, folder, isShared }: TemplateDraft) {
  return { name: name.trim(), folder: folder.trim() || null, isShared }
}

const PLAN_PROBLEM = 'plan'

/** Shows why a template was not saved. */
export function showTemplateProblems(form: TemplateForm, error: unknown): void {
  showProblems(form, error, refusalText(error, 'Failed to save the template. Please try again.'))
  if (errorCode(error) === 'PLAN_LIMIT') form.setError('root', { type: PLAN_PROBLEM, message: refusalText(error, '') })
}

/** A template's name, folder and sharing. */
export function TemplateFields({ form, wasShared = false }: { form: TemplateForm; wasShared?: boolean }) {
  const { errors } = form.formState
  const folders = useQuery(api.templates.list.queryOptions({ input: { pageSize: 1 } })).data?.folders ?? []
  const level = useQuery(api.billing.overview.queryOptions()).data?.level
  const canShare = wasShared || !level || TEMPLATE_LIMITS[level].canShare
  const listId = useId()
  return (
    <>
      {errors.root && (
        <Callout tone="bad" action={errors.root.type === PLAN_PROBLEM && <SeePlans />}>
          {errors.root.message}
        </Callout>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Template name" error={errors.name?.message} required>
          <Input
            autoComplete="off"
            placeholder="Founders, first hello"
            {...form.register('name', { validate: (typed) => typed.trim() !== '' || 'Enter a name.' })}
          />
        </Field>
        <Field label="Folder (optional)" error={errors.folder?.message}>
          <Input autoComplete="off" list={listId} {...form.register('folder')} />
        </Field>
      </div>
      <datalist id={listId}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <Checkbox
        label="Share with the workspace"
        hint={canShare ? SHARED_HINT : SHARING_IS_AGENCY}
        disabled={!canShare}
        {...form.register('isShared')}
      />
    </>
  )
}

const SHARED_HINT: ReactNode = 'Off: only you and admins see it.'
