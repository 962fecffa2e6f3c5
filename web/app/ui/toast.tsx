import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import {
  type CloseButtonProps,
  cssTransition,
  toast as show,
  ToastContainer,
  type ToastOptions,
} from 'react-toastify/unstyled'

const slide = cssTransition({ enter: 'toast-enter', exit: 'toast-leave', collapseDuration: 120 })

const icons = {
  success: <CircleCheck aria-hidden className="size-4 text-good" />,
  error: <CircleAlert aria-hidden className="size-4 text-bad" />,
  info: <Info aria-hidden className="size-4 text-info" />,
}

interface Options {
  /** How long it stays, in milliseconds: 3,000 unless the specification says otherwise. */
  duration?: number
  /** The one thing to do about it ('Undo'); closes the toast. Stays a while longer by itself. */
  action?: { label: string; onClick: () => void }
  /** A toast with the id of one that is shown replaces nothing and is not shown twice. */
  id?: string
  /** It does take the place of that one, and stays its full time from now. */
  replaces?: boolean
}

/** Long enough to read and to reach. */
const ACTION_MS = 8_000

function withAction(text: string, { action }: Options = {}) {
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
      </button>
    </span>
  )
}

function notify(kind: keyof typeof icons, text: string, options: Options = {}): void {
  const { duration, id, action, replaces } = options
  const autoClose = duration ?? (action ? ACTION_MS : undefined)
  const look: ToastOptions = {
    icon: icons[kind],
    ...(autoClose ? { autoClose } : {}),
    ...(id ? { toastId: id } : {}),
  }
  const content = withAction(text, options)
  if (id && replaces && show.isActive(id)) show.update(id, { render: content, type: kind, ...look })
  else show[kind](content, look)
}

/** Short notices at the top right that leave by themselves after 3 seconds. */
export const toast = {
  success: (text: string, options?: Options) => notify('success', text, options),
  error: (text: string, options?: Options) => notify('error', text, options),
  info: (text: string, options?: Options) => notify('info', text, options),
}

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

/** Where toasts appear. Stands once, in root.tsx; toasts shown before it is there wait for it. */
export default function Toasts() {
  return (
    <ToastContainer
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
