import { useState } from 'react'
import { cn } from './cn'

interface AvatarProps {
  /** The source of the initials, if there is no picture. */
  name: string
  src?: string | null | undefined
  size?: 'xs' | 'sm' | 'md' | 'lg'
  /** Number of initials. */
  letters?: 1 | 2
}

const sizes = { xs: 'size-5 text-2xs', sm: 'size-7 text-xs', md: 'size-9 text-sm', lg: 'size-14 text-xl' }

/** Characters as people count them: an emoji may consist of several code points. */
const CHARACTERS = /\p{RGI_Emoji}|.\p{M}*/gsv

/** A person's picture or initials. Decorative: show the name next to it. */
export function Avatar({ name, src, size = 'md', letters = 1 }: AvatarProps) {
  const [broken, setBroken] = useState<string | null>(null)
  return (
    <span
      aria-hidden
      className={cn(
        'relative inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full border border-line bg-sunken font-strong text-muted uppercase select-none',
        sizes[size],
      )}
    >
      {name
        .replace(/^[@\s\p{Cf}]+/u, '')
        .match(CHARACTERS)
        ?.slice(0, letters)
        .join('')}
      {src && broken !== src && (
        <img
          src={src}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setBroken(src)}
          className="absolute inset-0 size-full object-cover"
        />
      )}
    </span>
  )
}
