/** A shortcut key, shown inside the button that it triggers. Hidden on narrow screens and touch devices. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd
      aria-hidden
      className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm bg-pressed px-1 font-sans text-2xs font-normal text-muted in-[.bg-accent]:bg-transparent in-[.bg-accent]:text-current max-md:hidden pointer-coarse:hidden"
    >
      {children}
    </kbd>
  )
}
