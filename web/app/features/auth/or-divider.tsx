/** Between a form and the other ways to the same end. */
export function OrDivider() {
  return (
    <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      OR
    </p>
  )
}
