import type { ComponentProps } from 'react'
import { cn } from './cn'

export type PlainFormProps = Omit<ComponentProps<'form'>, 'method' | 'name' | 'noValidate' | 'onSubmit'> & {
  onSubmit: NonNullable<ComponentProps<'form'>['onSubmit']>
}

/**
 * A form that the page handles itself: the browser neither validates nor sends it. Stores nothing of
 * what is typed, unlike `Form`, whose code is too large for the first page.
 */
export function PlainForm({ className, onSubmit, ...rest }: PlainFormProps) {
  return (
    <form
      {...rest}
      // Submitting before hydration must never put a password into the URL.
      method="post"
      noValidate
      className={cn('grid gap-4', className)}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(event)
      }}
    />
  )
}
