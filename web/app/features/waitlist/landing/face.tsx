import { shapesOf } from './faces'

/** The people in the landing page's examples. */
const LOOKS = {
  Maya: { skin: 3, hair: 0, cut: 4, shirt: 3 },
  Jonas: { skin: 0, hair: 2, cut: 0, shirt: 0 },
  Priya: { skin: 2, hair: 0, cut: 1, shirt: 2 },
  Tomás: { skin: 1, hair: 1, cut: 3, shirt: 4 },
  Ines: { skin: 0, hair: 3, cut: 2, shirt: 1 },
}

interface FaceProps {
  of: keyof typeof LOOKS
  className: string
}

/** A made-up face. Decorative: show the name next to it. */
export function Face({ of, className }: FaceProps) {
  return (
    <svg viewBox="0 0 36 36" aria-hidden className={`shrink-0 rounded-full ${className}`}>
      {shapesOf(LOOKS[of]).map((shape) => (
        <path key={shape.d} {...shape} />
      ))}
    </svg>
  )
}
