import './app.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import inter from '@fonts/inter-english.woff2?url'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import {
  isRouteErrorResponse,
  Links,
  type LinksFunction,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useMatches,
  useRouteError,
} from 'react-router'
import icon from '../public/favicon.svg?inline'
import { sessionStorage } from './browser-storage'
import { Footer } from './features/overview/shell/footer'
import { Header } from './features/overview/shell/header'
import { LateText } from './features/overview/shell/late-text'
import { LoadingScreen } from './features/overview/shell/loading-screen'
import { PageChange } from './features/overview/shell/page-change'
import { pageMeta } from './features/overview/shell/page-meta'
import { SessionWatch } from './features/overview/shell/session-watch'
import type { SignedInHandle } from './features/overview/shell/signed-in'
import { startupScript } from './features/overview/shell/startup-script'
import { SupportLine } from './features/overview/shell/support-line'
import { ViewCount } from './features/waitlist/waitlist/view-count'
import { DATA_CHANNEL, syncOtherTabs } from './other-tabs'
import { isClientReport } from './paths'
import { supportAddress } from './product-address'
import { createQueryClient, refetchOnReturn } from './query-client'
import { RELOADS_KEY } from './reloads'
import { useTypedStorage } from './typed-text'
import { Button } from './ui/button'
import { ConfirmProvider } from './ui/confirm'
import { Toasts } from './ui/toast'
import { TypedStorageContext } from './ui/typed-storage'
import { HYDRATED, useHydrated } from './ui/use-hydrated'

export const links: LinksFunction = () => [
  { rel: 'preload', href: inter, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' },
]

/** Our icons and support address. A client report has neither: it shows its workspace's logo. */
function OurHead() {
  if (isClientReport(useLocation().pathname)) return <link rel="icon" href="data:," />
  return (
    <>
      <meta name="support" content={supportAddress()} />
      {/* Inline, because requesting it would delay the first paint on slow networks. */}
      <link rel="icon" href={icon} type="image/svg+xml" />
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
    </>
  )
}

/** Until the page's code has loaded, keep the title that the server sent. */
export const meta = () =>
  pageMeta(
    globalThis.document?.title || 'X-Automated',
    'Find the right people on X and reach them with messages that read as if you wrote each one.',
  )

/** The document around every page, errors included. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    // The inline script below may set data-theme and data-session before hydration.
    <html lang="en" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        {/* The canvas colors of ui/tokens.css. */}
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0c0f0b" />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, allowed by its hash */}
        <script suppressHydrationWarning dangerouslySetInnerHTML={{ __html: startupScript }} />
        <Meta />
        <Links />
        <OurHead />
      </head>
      <body>
        {/* The frame is outside the page, so that an open menu stays open when the page replaces HydrateFallback. */}
        <Frame>{children}</Frame>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}

refetchOnReturn()

function Frame({ children }: { children: ReactNode }) {
  const hydrated = useHydrated()
  // A client report is about its workspace, not about its reader or us.
  const isReport = isClientReport(useLocation().pathname)
  // Such a page scrolls within itself, so nothing may follow it.
  const fillsPanel = useMatches().some(({ handle }) => (handle as SignedInHandle | undefined)?.fillsPanel)
  const [queryClient] = useState(createQueryClient)
  useEffect(() => {
    if (hydrated) document.dispatchEvent(new Event(HYDRATED))
  }, [hydrated])
  useEffect(() => {
    const channel = new BroadcastChannel(DATA_CHANNEL)
    const stop = syncOtherTabs(queryClient, channel)
    return () => {
      stop()
      channel.close()
    }
  }, [queryClient])
  return (
    // The content security policy forbids style elements.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <TypedStorageContext value={useTypedStorage()}>
          <ConfirmProvider>
            <div className="page-frame isolate flex min-h-dvh flex-col">
              <a
                href="#content"
                className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-ink px-4 py-2 font-strong text-inverse focus:translate-y-0"
              >
                Skip to content
              </a>
              {!isReport && <Header />}
              <main id="content" tabIndex={-1} className="flex-1 outline-none">
                {children}
              </main>
              {!isReport && !fillsPanel && <Footer />}
            </div>
            <LateText />
            {!isReport && <SessionWatch />}
            <ViewCount />
            <PageChange />
            {hydrated && <Toasts />}
          </ConfirmProvider>
        </TypedStorageContext>
      </QueryClientProvider>
    </CSPProvider>
  )
}

export default function App() {
  useEffect(() => sessionStorage.removeItem(RELOADS_KEY), [])
  return <Outlet />
}

/** Shown on signed-in pages until their code has loaded. Public pages are prerendered. */
export function HydrateFallback() {
  return <LoadingScreen text="Initializing application..." />
}

const NotFound = lazy(async () => ({ default: (await import('./features/overview/shell/not-found')).NotFound }))

export function ErrorBoundary() {
  const error = useRouteError()
  if (!isRouteErrorResponse(error) || error.status !== 404) return <Crash error={error} />
  return (
    <Suspense>
      <NotFound />
    </Suspense>
  )
}

function Crash({ error }: { error: unknown }) {
  return (
    <div className="page-width flex min-h-[70dvh] flex-col items-center justify-center gap-3 text-center">
      <h1 className="text-3xl">Unexpected Application Error!</h1>
      <p className="max-w-md text-base text-muted">
        Something went wrong on our side. Your saved work is safe. Try reloading the page.
      </p>
      {import.meta.env.DEV && error instanceof Error && (
        <pre className="max-w-full overflow-x-auto rounded-lg bg-sunken p-4 text-start font-mono text-xs">
          {error.stack}
        </pre>
      )}
      <Button variant="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
      <SupportLine />
    </div>
  )
}
