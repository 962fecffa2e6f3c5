import type { FormEvent } from 'react'
import { PlainForm, type PlainFormProps } from './plain-form'
import { TypedFields, useTypedText } from './use-typed-text'

export interface FormProps extends Omit<PlainFormProps, 'onSubmit'> {
  /**
   * What is typed is stored under this name until a call of `onSubmit` succeeds, and restored. Unique
   * among forms. Null for passwords and codes, for searches, and if the page stores the text itself.
   */
  name: string | null
  /** The id of the record that the form edits, unless the path contains it. */
  record?: string | undefined
  /** Return the promise of what it does, so that its calls are known to belong to the form. */
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown
  /** If true, submitting does not save what was typed. The page calls `submitTyped` for what does. */
  isPreview?: boolean
}

/** A form that stores what is typed. A button of type 'reset' that closes it discards what was typed. */
export function Form({ name, record, onSubmit, isPreview = false, ref, children, ...rest }: FormProps) {
  const { form, watchSubmit, context, notice } = useTypedText(name, record)
  return (
    <PlainForm
      {...rest}
      ref={(node) => {
        form.current = node
        if (typeof ref === 'function') return ref(node)
        if (ref) ref.current = node
      }}
      data-form={name ?? ''}
      onSubmit={(event) => {
        if (isPreview) void onSubmit(event)
        else void watchSubmit(() => onSubmit(event))
      }}
    >
      {notice}
      <TypedFields value={context}>{children}</TypedFields>
    </PlainForm>
  )
}
