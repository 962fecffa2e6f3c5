import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import type { ToastKind, ToastOptions } from './toasts'

// Loaded late, because few pages show a toast before the user acts.
const load = () => import('./toasts')
const Loaded = lazy(load)
const ACTIONS = ['pointerdown', 'keydown'] as const

let isNeeded = false
const listeners = new Set<() => void>()

function need() {
  isNeeded = true
  for (const listener of listeners) listener()
  return load()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// If the code of toasts does not load, the toast is not shown.
const notify =
  (kind: ToastKind) =>
  (text: string, options?: ToastOptions): void =>
    void need().then(
      (toasts) => toasts.notify(kind, text, options),
      () => {},
    )

/** Short messages at the top right. By default, they disappear after 3 seconds. */
export const toast = {
  success: notify('success'),
  error: notify('error'),
  info: notify('info'),
  dismiss(id: string): void {
    if (isNeeded)
      void load().then(
        (toasts) => toasts.dismiss(id),
        () => {},
      )
  },
}

/** Renders toasts. Used once, in root.tsx. The code loads with the first press or the first toast. */
export function Toasts() {
  const isShown = useSyncExternalStore(
    subscribe,
    () => isNeeded,
    () => false,
  )
  useEffect(() => {
    const onAction = () => void load().catch(() => {})
    for (const action of ACTIONS) addEventListener(action, onAction, { once: true })
    return () => {
      for (const action of ACTIONS) removeEventListener(action, onAction)
    }
  }, [])
  return <Suspense>{isShown && <Loaded />}</Suspense>
}
