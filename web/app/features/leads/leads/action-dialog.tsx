import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { AddToList } from './add-to-list'
import { BasisDialog } from './basis-dialog'
import type { Picked } from './lead-selection'
import type { LeadsAction } from './leads-toolbar'
import { ManageTagsDialog } from './manage-tags-dialog'
import { SendDialog } from './send-dialog'
import { TagDialog } from './tag-dialog'

interface ActionDialogProps extends ControlledDialogProps {
  action: LeadsAction
  picked: Picked
  /** Only for a single lead. */
  handle: string | undefined
  /** Called once the leads are in the list or messaged. */
  onDone: () => void
  onSend: (message: string) => void
  onManageTags: () => void
}

/** The dialog for an action on leads. Deleting and suppressing have their own dialogs. */
export function ActionDialog({ action, picked, handle, onDone, onSend, onManageTags, ...props }: ActionDialogProps) {
  switch (action) {
    case 'send': {
      const send = (message: string) => {
        onSend(message)
        onDone()
      }
      return <SendDialog picked={picked} handle={handle} onSend={send} {...props} />
    }
    case 'list':
      return <AddToList picked={picked} onAdded={onDone} {...props} />
    case 'tag':
      return <TagDialog picked={picked} onManage={onManageTags} {...props} />
    case 'basis':
      return <BasisDialog picked={picked} {...props} />
    case 'tags':
      return <ManageTagsDialog {...props} />
    default:
      return null
  }
}
