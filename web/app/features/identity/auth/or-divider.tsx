/** Separates the form from buttons that need JavaScript. */
export function OrDivider() {
  return (
    <p className="flex items-center gap-3 text-xs text-muted noscript:hidden before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      OR
    </p>
  )
}
