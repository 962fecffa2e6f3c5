import type { ReactNode } from 'react'
import { cn } from '../../../ui/cn'
import { inkOn } from './brand-color'

interface BrandBandProps {
  name: string
  logo: string | null
  color: string | null
  /** Applied to the content, not to the band. */
  className?: string
  children?: ReactNode
}

/** The head of a client report: the workspace's logo and name on its color. Not for prerendered HTML. */
export function BrandBand({ name, logo, color, className, children }: BrandBandProps) {
  return (
    <div
      style={color ? { backgroundColor: color, color: inkOn(color) } : {}}
      // By default, browsers print no backgrounds, which would make white text unreadable.
      className={cn('print:[print-color-adjust:exact]', !color && 'bg-sunken')}
    >
      <div className={cn('grid gap-6', className)}>
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          {logo && (
            // White in both schemes, because most logos are designed for it.
            <span className="flex shrink-0 rounded-md bg-scan-light p-1.5">
              <img src={logo} alt="" className="h-9 max-w-48 object-contain" />
            </span>
          )}
          <p className="min-w-0 text-lg font-strong wrap-anywhere">
            <bdi>{name}</bdi>
          </p>
        </div>
        {children}
      </div>
    </div>
  )
}
