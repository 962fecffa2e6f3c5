import { client } from '../../../api'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { DEPENDS_ON_ACCOUNT } from './use-accounts'

/** Switches the current account. */
export function useChooseAccount() {
  return useAction((id: string) => client.xAccount.choose({ id }), {
    onSuccess: ({ handle }) => toast.success(`Switched to @${handle}.`, { id: 'current-x-account' }),
    refetches: DEPENDS_ON_ACCOUNT,
  })
}
