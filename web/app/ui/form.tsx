import type { ComponentProps, FormEvent } from 'react'
import { cn } from './cn'

interface FormProps extends Omit<ComponentProps<'form'>, 'method' | 'noValidate' | 'onSubmit'> {
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown
}

/** A form that the page handles itself: the browser neither validates nor sends it. */
export function Form({ className, onSubmit, ...rest }: FormProps) {
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
