import { type ReactNode, useId, useRef } from 'react'
import { Button, type ButtonProps } from './button'
import { Dialog, type DialogProps } from './dialog'
import { Form, type FormProps } from './form'
import { discardTyped } from './use-typed-text'

interface FormDialogProps extends Omit<DialogProps, 'footer'>, Pick<ButtonProps, 'icon' | 'disabled'> {
  /** See Form. What was typed stays when the dialog closes, unless the user presses Cancel. */
  name: string | null
  record?: string | undefined
  /** The submit button's label. */
  label: string
  loading: boolean
  /** To the left of the buttons. */
  aside?: ReactNode
  /** Asked before Cancel closes the dialog. */
  mayCancel?: () => Promise<boolean>
  onSubmit: FormProps['onSubmit']
}

/** A modal with a form, its submit button and Cancel. */
export function FormDialog({
  name,
  record,
  label,
  loading,
  icon,
  disabled,
  aside,
  mayCancel,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)
  const cancel = async () => {
    if (mayCancel && !(await mayCancel())) return
    discardTyped(form.current)
    dialog.onClose()
  }
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          {aside}
          <Button onClick={cancel}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" icon={icon} disabled={disabled} loading={loading}>
            {label}
          </Button>
        </>
      }
    >
      <Form ref={form} id={formId} name={name} record={record} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  )
}
