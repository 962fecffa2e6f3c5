import { type FormEventHandler, useId } from 'react'
import { Button } from './button'
import { Dialog, type DialogProps } from './dialog'

export interface FormDialogProps extends Omit<DialogProps, 'footer' | 'size'> {
  /** The submit button's label. */
  label: string
  loading: boolean
  onSubmit: FormEventHandler
}

/** A modal with a form, its submit button and Cancel. */
export function FormDialog({ label, loading, onSubmit, children, ...dialog }: FormDialogProps) {
  const formId = useId()
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={loading}>
            {label}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate method="post" className="grid gap-4" onSubmit={onSubmit}>
        {children}
      </form>
    </Dialog>
  )
}
