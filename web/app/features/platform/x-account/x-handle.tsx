import { cn } from '../../../ui/cn'

/** The URL of an account on X. @param handle with or without the @ */
function profileUrl(handle: string): string {
  return `https://x.com/${encodeURIComponent(handle.replace(/^@/, ''))}`
}

/** '@handle', linked to the account on X in a new tab. */
export function XHandle({ handle, className }: { handle: string; className?: string }) {
  return (
    <a
      href={profileUrl(handle)}
      target="_blank"
      rel="noopener noreferrer"
      title="Opens on X in a new tab"
      className={cn('rounded-sm underline-offset-[0.2em] hover:underline', className)}
    >
      @{handle.replace(/^@/, '')}
    </a>
  )
}
