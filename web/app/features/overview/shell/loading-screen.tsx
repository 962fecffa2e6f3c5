import { LoaderCircle } from 'lucide-react'
import { NeedsScript } from '../../../ui/needs-script'
import { useSlow } from '../../../ui/use-slow'

/** After this time, the screen says that loading is slow. */
const SLOW_AFTER_MS = 2000

interface LoadingScreenProps {
  text: string
  slowAfterMs?: number | undefined
}

/** Shown until it is known who is signed in. */
export function LoadingScreen({ text, slowAfterMs = SLOW_AFTER_MS }: LoadingScreenProps) {
  const slow = useSlow(true, slowAfterMs)
  return (
    <div role="status" className="page-width fills-window flex flex-col items-center justify-center gap-3 text-center">
      <LoaderCircle
        aria-hidden
        className="size-6 animate-spin text-accent-line in-data-[late=broken]:hidden noscript:hidden"
      />
      <h1 className="text-base noscript:hidden">{text}</h1>
      <NeedsScript what="This page" />
      {slow && (
        <p className="max-w-sm text-muted">
          This is taking longer than expected. Please wait a moment or try refreshing the page.
        </p>
      )}
    </div>
  )
}
