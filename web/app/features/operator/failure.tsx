import { errorText } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'

interface FailureProps {
  query: { error: unknown; isFetching: boolean; refetch: () => unknown }
  /** If the server sent no message. */
  fallback: string
}

/** An error with a retry button. */
export function Failure({ query, fallback }: FailureProps) {
  return (
    <Callout
      tone="bad"
      action={
        <Button size="sm" loading={query.isFetching} onClick={() => query.refetch()}>
          Try Again
        </Button>
      }
    >
      {errorText(query.error, fallback)}
    </Callout>
  )
}
