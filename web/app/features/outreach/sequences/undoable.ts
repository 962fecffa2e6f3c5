import { toast } from '../../../ui/toast'

/** Offers to undo the latest change. Replaces an earlier offer, which may no longer be valid. */
export function undoable(text: string, onClick: () => void) {
  toast.info(text, { id: 'sequence-undo', replaces: true, action: { label: 'Undo', onClick } })
}
