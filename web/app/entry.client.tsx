import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { sessionStorage } from './browser-storage'
import { RELOADS_KEY } from './reloads'

/** Maximum reloads in a row. React Router reloads a page whose code is missing, without any limit. */
const MAX_RELOADS = 3

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
const reloads = navigation?.type === 'reload' ? Number(sessionStorage.getItem(RELOADS_KEY)) + 1 : 0
const isBroken = reloads > MAX_RELOADS
// Resets the count after giving up, so that a reload by the user tries again.
sessionStorage.setItem(RELOADS_KEY, String(isBroken ? 0 : reloads))
if (isBroken) document.documentElement.dataset.late = 'broken'
else
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <HydratedRouter />
      </StrictMode>,
    )
  })
