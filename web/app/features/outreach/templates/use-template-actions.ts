import { useQuery } from '@tanstack/react-query'
import type { Template } from '@x-automated/contract/outreach/templates'
import { useNavigate } from 'react-router'
import { api, client, refusalText } from '../../../api'
import { paths } from '../../../paths'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useHasRole, useIsOffered } from '../../identity/people/use-role'
import { useFailureToast } from '../../platform/billing/use-failure-toast'

const FAILED = 'Failed to change the template. Please try again.'

/** The actions on a template, and who may use them. */
export function useTemplateActions() {
  const navigate = useNavigate()
  const showFailure = useFailureToast()
  const me = useQuery(api.auth.me.queryOptions()).data?.id
  const isAdmin = useHasRole('admin')
  const onError = (error: Error) => showFailure(error, refusalText(error, FAILED))
  const refetches = [api.templates]
  const restore = useAction(({ id }: Template) => client.templates.update({ id, isArchived: false }), {
    done: ({ name }) => `Template “${name}” restored.`,
    onError,
    refetches,
  })
  const archive = useAction(({ id }: Template) => client.templates.update({ id, isArchived: true }), {
    onSuccess: (template) =>
      toast.success(`Template “${template.name}” archived.`, {
        action: { label: 'Undo', onClick: () => restore.run(template) },
      }),
    onError,
    refetches,
  })
  const share = useAction(({ id, isShared }: Template) => client.templates.update({ id, isShared: !isShared }), {
    done: ({ name, isShared }) => `Template “${name}” is now ${isShared ? 'shared' : 'private'}.`,
    onError,
    refetches,
  })
  const duplicate = useAction(({ id }: Template) => client.templates.duplicate({ id }), {
    done: ({ name }) => `Template “${name}” created.`,
    onError,
    refetches,
  })
  const remove = useAction(({ id }: Template) => client.templates.remove({ id }), {
    question: ({ name }) => ({
      title: `Delete the template “${name}”?`,
      body: "Campaigns started from it don't change.",
      confirm: 'Delete template',
      danger: true,
    }),
    done: 'Template deleted.',
    onError,
    refetches,
  })
  return {
    mayUse: useIsOffered('member'),
    mayChange: ({ author, isStarter }: Template) => !isStarter && (isAdmin === true || author?.id === me),
    /** Opens the campaign form with the template's messages. */
    start: (template: Template) => void navigate(paths.campaigns, { state: { template } }),
    archive,
    restore,
    share,
    duplicate,
    remove,
  }
}

export type TemplateActions = ReturnType<typeof useTemplateActions>
