import { buttonClass } from '../../../ui/button'

/** Says that the app loads slowly, or not at all. features/overview/shell/startup-script.ts shows it. */
export function LateText() {
  return (
    <div className="pointer-events-none fixed inset-x-0 top-(--spacing-header) z-60 hidden justify-center p-4 in-data-late:flex">
      <div
        role="alert"
        className="pointer-events-auto flex max-w-md flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warn/30 bg-raised px-4 py-3 shadow-md"
      >
        <p className="min-w-48 flex-1 in-data-[late=broken]:hidden">
          This page is taking longer than expected. Please check your connection.
        </p>
        <p className="hidden min-w-48 flex-1 in-data-[late=broken]:block">
          This page didn't load. Check your connection, then reload it.
        </p>
        {/* biome-ignore lint/a11y/useValidAnchor: an empty URL reloads the page, without the app */}
        <a href="" className={buttonClass({ size: 'sm' })}>
          Reload the page
        </a>
      </div>
    </div>
  )
}
