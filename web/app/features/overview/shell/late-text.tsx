import { Button } from '../../../ui/button'

/**
 * Container for messages about slow loading, filled by web/first-touch and never by the app.
 * Invisible while empty.
 */
export function LateText() {
  return (
    <div className="pointer-events-none fixed inset-x-0 top-(--spacing-header) z-60 flex justify-center p-4">
      <div
        role="alert"
        data-late
        className="pointer-events-auto flex max-w-md flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warn/30 bg-raised px-4 py-3 shadow-md has-[p:empty]:hidden"
      >
        <p className="min-w-48 flex-1" suppressHydrationWarning>
          {''}
        </p>
        <Button size="sm" hidden>
          Try again
        </Button>
        <Button size="sm" hidden>
          Reload the page
        </Button>
      </div>
    </div>
  )
}
