import type { ReactNode } from 'react'
import { errorText } from './api'
import { Button } from './ui/button'
import { Callout, type CalloutProps } from './ui/callout'

export interface QueryErrorProps extends Pick<CalloutProps, 'tone' | 'title'> {
  query: { error: unknown; isFetching: boolean; refetch: () => unknown }
  /** Used if the server sent no message. */
  fallback?: string
  /** Replaces the server's message. */
  children?: ReactNode
}

/** Shows why a query failed, with a button to retry. */
export function QueryError({ query, tone = 'bad', title, fallback, children }: QueryErrorProps) {
  return (
    <Callout
      tone={tone}
      title={title}
      action={
        <Button size="sm" loading={query.isFetching} onClick={() => query.refetch()}>
          Try Again
        </Button>
      }
    >
      {children ?? errorText(query.error, fallback)}
    </Callout>
  )
}
