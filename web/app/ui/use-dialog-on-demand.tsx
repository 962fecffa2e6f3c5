import { type ComponentType, useState } from 'react'
import { loadOnDemand } from './load-on-demand'
import type { ControlledDialogProps } from './use-dialogs'

/**
 * A dialog whose code loads when it is first opened.
 * @param load loads the dialog's module
 * @param what the subject of the toast that appears if it doesn't load: 'The dialog'
 */
export function useDialogOnDemand<Props extends ControlledDialogProps>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  what: string,
) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  const [open, setOpen] = useState(false)
  const prepare = () => void load().catch(() => {})
  return {
    open,
    /** Props for the button that opens the dialog. */
    button: {
      onPointerEnter: prepare,
      onFocus: prepare,
      async onClick() {
        if (!(await loadOnDemand(load, what))) return
        const { default: dialog } = await load()
        setLoaded(() => dialog)
        setOpen(true)
      },
    },
    render: (props: Omit<Props, keyof ControlledDialogProps>) =>
      Loaded && <Loaded {...(props as Props)} open={open} onClose={() => setOpen(false)} />,
  }
}
