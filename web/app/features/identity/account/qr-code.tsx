import { useMemo } from 'react'
import { encode } from 'uqr'

/** The light margin around the code, in modules (ISO/IEC 18004: 4). */
const QUIET_ZONE = 4

/** A QR code. Dark on light in both color schemes, because scanners need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: QUIET_ZONE })
    const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { size, path: modules.join('') }
  }, [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border border-line bg-scan-light text-scan-dark"
    >
      <path d={path} fill="currentColor" />
    </svg>
  )
}
