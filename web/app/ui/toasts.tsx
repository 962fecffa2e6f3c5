import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import {
  type CloseButtonProps,
  cssTransition,
  type ToastOptions as Look,
  toast as show,
  ToastContainer,
} from 'react-toastify/unstyled'
import { useSecondsUntil } from './use-seconds-until'

const slide = cssTransition({ enter: 'toast-enter', exit: 'toast-leave', collapseDuration: 120 })

const icons = {
  success: <CircleCheck aria-hidden className="size-4 text-good" />,
  error: <CircleAlert aria-hidden className="size-4 text-bad" />,
  info: <Info aria-hidden className="size-4 text-info" />,
}

interface ToastAction {
  label: string
  onClick: () => void
  /** When the action stops being possible, in milliseconds since 1970. The button counts down. */
  until?: number
}

export interface ToastOptions {
  /**
   * Time until the toast closes, in milliseconds. Defaults to 3,000 or, with a button, until
   * `action.until` or 10,000.
   */
  duration?: number
  /** A button ('Undo') that closes the toast. */
  action?: ToastAction
  /** Not shown again while a toast with this id is visible. */
  id?: string
  /** Replaces the visible toast with the same id, and restarts its time. */
  replaces?: boolean
}

export type ToastKind = keyof typeof icons

const ACTION_MS = 10_000

function withAction(text: string, { action }: ToastOptions = {}) {
  if (!action) return text
  return ({ closeToast }: { closeToast: () => void }) => (
    <span className="flex flex-wrap items-center gap-x-3">
      {text}
      <button
        type="button"
        className="text-link min-h-6 font-strong"
        onClick={() => {
          closeToast()
          action.onClick()
        }}
      >
        {action.label}
        {action.until !== undefined && <SecondsLeft key={action.until} until={action.until} />}
      </button>
    </span>
  )
}

/** ' (8 s)'. Hidden from screen readers, which would read it every second. */
function SecondsLeft({ until }: { until: number }) {
  return (
    <span aria-hidden data-numeric>
      {` (${useSecondsUntil(until)} s)`}
    </span>
  )
}

/**
 * How often toasts of each id have closed. The count is part of the internal id, because an id
 * cannot be reused while its toast slides out.
 */
const closings = new Map<string, number>()
const toastIdOf = (id: string) => `${id}-${closings.get(id) ?? 0}`

/** Shows a toast. */
export function notify(kind: ToastKind, text: string, options: ToastOptions = {}): void {
  const { duration, id, action, replaces } = options
  const autoClose = duration ?? (action?.until ? action.until - Date.now() : action ? ACTION_MS : undefined)
  const look: Look = {
    icon: icons[kind],
    ...(autoClose ? { autoClose } : {}),
    ...(id && { toastId: toastIdOf(id), onClose: () => closings.set(id, (closings.get(id) ?? 0) + 1) }),
  }
  const content = withAction(text, options)
  if (look.toastId && replaces && show.isActive(look.toastId))
    show.update(look.toastId, { render: content, type: kind, ...look })
  else show[kind](content, look)
}

/** Hides the toast with this id. */
export const dismiss = (id: string) => show.dismiss(toastIdOf(id))

function Close({ closeToast }: CloseButtonProps) {
  return (
    <button
      type="button"
      aria-label="Close notification"
      onClick={closeToast}
      className="absolute top-2 right-2 flex size-7 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
    >
      <X aria-hidden className="size-4" />
    </button>
  )
}

/** Renders toasts, including those queued before it was mounted. */
export default function Toasts() {
  return (
    <ToastContainer
      aria-label="Alerts Alt+T"
      position="top-right"
      autoClose={3000}
      closeButton={Close}
      transition={slide}
      hideProgressBar
      pauseOnFocusLoss={false}
      newestOnTop
      limit={4}
    />
  )
}
