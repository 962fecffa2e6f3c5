import { type FormEventHandler, type ReactNode, useId } from 'react'
import { Button, type ButtonProps } from './button'
import { Dialog, type DialogProps } from './dialog'
import { Form } from './form'

interface FormDialogProps extends Omit<DialogProps, 'footer'>, Pick<ButtonProps, 'icon' | 'disabled'> {
  /** The submit button's label. */
  label: string
  loading: boolean
  /** To the left of the buttons. */
  aside?: ReactNode
  onSubmit: FormEventHandler
}

/** A modal with a form, its submit button and Cancel. */
export function FormDialog({ label, loading, icon, disabled, aside, onSubmit, children, ...dialog }: FormDialogProps) {
  const formId = useId()
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          {aside}
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" icon={icon} disabled={disabled} loading={loading}>
            {label}
          </Button>
        </>
      }
    >
      <Form id={formId} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  )
}
