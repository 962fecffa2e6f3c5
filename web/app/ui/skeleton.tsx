import { cn } from './cn'

/** A placeholder, sized by classes. Appears after 200 ms, and never without JavaScript. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('animate-appear noscript:hidden', shape, className)} />
}

const shape = 'block rounded-md bg-pressed'

const widths = ['w-3/5', 'w-2/5', 'w-4/5', 'w-1/2']

/** Placeholder lines of text. */
export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <span className="grid gap-2.5">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <Skeleton key={index} className={cn('h-3.5', widths[index % widths.length])} />
      ))}
    </span>
  )
}

/** Placeholder of a labeled field. */
export function SkeletonField({ className }: { className?: string }) {
  return (
    <span className={cn('grid gap-1.5', className)}>
      <SkeletonLine className="w-28" />
      <Skeleton className="h-9 pointer-coarse:h-11" />
    </span>
  )
}

/** Placeholder of a button. Set its width by a class. */
export function SkeletonButton({ size = 'md', className = 'w-32' }: { size?: 'sm' | 'md'; className?: string }) {
  return (
    <Skeleton
      className={cn(size === 'sm' ? 'h-8 pointer-coarse:h-10' : 'h-9 pointer-coarse:h-11', 'max-w-full', className)}
    />
  )
}

/** Placeholder of a line of text. Set its width by a class. */
export function SkeletonLine({ className = 'w-3/5' }: { className?: string }) {
  return (
    <span className="flex h-5 items-center">
      <Skeleton className={cn('h-3.5 max-w-full', className)} />
    </span>
  )
}

/** Placeholder rows of a tbody. */
export function SkeletonRows({ rows = 5, columns }: { rows?: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
    <tr key={row} aria-hidden className="animate-appear noscript:hidden">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <td key={column} className="border-line px-4 py-3.5 md:border-b">
          {/* Animates the row instead of its cells, because each animated element needs its own layer. */}
          <span className={cn('h-4', shape, widths[(row + column) % widths.length])} />
        </td>
      ))}
    </tr>
  ))
}

/** Announces loading to screen readers, for which skeletons are silent. */
export function LoadingText({ children }: { children: string }) {
  return (
    <p role="status" className="sr-only">
      {children}
    </p>
  )
}
