import { shapesOf } from './faces'
import type { Look } from './finder-demo-people'

interface FaceProps {
  look: Look
  /** Its size. */
  className: string
}

/** An invented face. Decorative: show the name next to it. */
export function Face({ look, className }: FaceProps) {
  return (
    <svg viewBox="0 0 36 36" aria-hidden className={`shrink-0 rounded-full ${className}`}>
      {shapesOf(look).map((shape) => (
        <path key={shape.d} {...shape} />
      ))}
    </svg>
  )
}
