/** Between a form and the other ways to the same end: buttons, which are not there where no script runs. */
export function OrDivider() {
  return (
    <p className="flex items-center gap-3 text-xs text-muted noscript:hidden before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      OR
    </p>
  )
}
