import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { api, fieldProblems } from '../../../api'
import { toast } from '../../../ui/toast'
import { invalidateAccounts } from './use-accounts'

export interface Credentials {
  username: string
  password: string
}

/**
 * Connects X with a form's credentials and shows field errors in it. `isRejected`: X or the server
 * refused for another reason.
 */
export function useConnectX(form: UseFormReturn<Credentials>) {
  const queries = useQueryClient()
  const connect = useMutation(
    api.xAccount.connect.mutationOptions({
      onSuccess: async ({ message }) => {
        await invalidateAccounts(queries)
        toast.success(message || 'Twitter account connected successfully!')
      },
      onError: (error) => {
        const problems = fieldProblems(error)
        if (problems.username) form.setError('username', { message: problems.username }, { shouldFocus: true })
        if (problems.password) form.setError('password', { message: problems.password })
      },
    }),
  )
  const problems = fieldProblems(connect.error)
  return {
    connect,
    isRejected: connect.isError && !problems.username && !problems.password,
    submit: form.handleSubmit(({ username, password }) => connect.mutate({ username: username.trim(), password })),
  }
}
