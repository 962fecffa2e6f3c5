import type { List } from '@x-automated/contract/leads/lists'
import { useDialogs } from '../../../ui/use-dialogs'
import { ListFormDialog } from './list-form-dialog'
import { ListLeadsDialog } from './list-leads-dialog'
import { ManageLeadsDialog } from './manage-leads-dialog'
import { NewCampaignDialog } from './new-campaign-dialog'

/** Dialogs for a page of lists. @param isCards true on the Lead Lists tab, where lists are called “campaigns” */
export function useListDialogs(isCards = false) {
  const dialogs = useDialogs<{ kind: 'form' | 'view' | 'manage'; list?: List }>()
  const manage = (list: List) => dialogs.show({ kind: list.filter ? 'form' : 'manage', list })
  return {
    create: () => dialogs.show({ kind: 'form' }),
    edit: (list: List) => dialogs.show({ kind: 'form', list }),
    view: (list: List) => dialogs.show({ kind: 'view', list }),
    manage,
    shown: dialogs.render(({ kind, list }, props) => {
      if (!list) return isCards ? <NewCampaignDialog {...props} /> : <ListFormDialog {...props} />
      if (kind === 'form') return <ListFormDialog list={list} {...props} />
      if (kind === 'manage') return <ManageLeadsDialog list={list} {...props} />
      return <ListLeadsDialog list={list} isCard={isCards} onManage={() => manage(list)} {...props} />
    }),
  }
}
