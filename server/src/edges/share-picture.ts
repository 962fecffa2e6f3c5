import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SKRSContext2D } from '@napi-rs/canvas'
import { formatNumber } from '@x-automated/contract/format'
import { earlyPromise } from '@x-automated/contract/platform/early-features'

/** Size of link previews on social networks, in pixels. */
export const SHARE_PICTURE = { width: 1200, height: 630 }

/** The dark colors of web/app/ui/tokens.css. */
const CANVAS = '#0c0f0b'
const INK = '#eff1ee'
const MUTED = '#a8aca6'
const ACCENT = '#b5ee3c'
const ACCENT_INK = '#1b2a0b'

const FONT = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))
const FAMILY = 'Inter share picture'
const EDGE = 96

/** Draws the preview as a PNG. @param position the referrer's; null: generic */
export async function drawSharePicture(position: number | null): Promise<Buffer> {
  // Loaded on first use, because it is slow and large.
  const { createCanvas, GlobalFonts } = await import('@napi-rs/canvas')
  if (!GlobalFonts.has(FAMILY)) GlobalFonts.register(readFileSync(FONT), FAMILY)
  const canvas = createCanvas(SHARE_PICTURE.width, SHARE_PICTURE.height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = CANVAS
  pen.fillRect(0, 0, canvas.width, canvas.height)
  drawMark(pen)
  write(pen, 'X-Automated', { x: EDGE + 84, y: 150, size: 40, strong: true })
  if (position === null) {
    write(pen, 'Automate your X', { x: EDGE, y: 350, size: 92, strong: true })
    write(pen, 'outreach with AI', { x: EDGE, y: 452, size: 92, strong: true })
    write(pen, 'Find the right people. Write once. Send at a human pace.', { x: EDGE, y: 540, size: 34, color: MUTED })
  } else {
    write(pen, 'You’re invited by', { x: EDGE, y: 310, size: 46, color: MUTED })
    const label = `#${formatNumber(position)}`
    const room = SHARE_PICTURE.width - 2 * EDGE
    // Shrink long positions to fit.
    const wanted = widthOf(pen, label, 136) + 28 + widthOf(pen, 'on the waitlist', 64)
    const scale = Math.min(1, room / wanted)
    const end = write(pen, label, { x: EDGE, y: 448, size: 136 * scale, strong: true, color: ACCENT })
    write(pen, 'on the waitlist', { x: end + 28 * scale, y: 448, size: 64 * scale, strong: true })
    const promise = earlyPromise('Join with this link, and you both get priority access')
    const fit = Math.min(1, (SHARE_PICTURE.width - 2 * EDGE) / widthOf(pen, promise, 34))
    write(pen, promise, { x: EDGE, y: 540, size: 34 * fit, color: MUTED })
  }
  return canvas.encode('png')
}

interface TextStyle {
  x: number
  /** The y coordinate of the baseline. */
  y: number
  size: number
  strong?: boolean
  color?: string
}

function setFont(pen: SKRSContext2D, size: number, strong: boolean): void {
  const weight = strong ? 570 : 400
  pen.fontVariationSettings = `"wght" ${weight}`
  pen.font = `${weight} ${size}px "${FAMILY}"`
  pen.letterSpacing = `${-0.025 * size}px`
}

/** Width of bold text. */
function widthOf(pen: SKRSContext2D, text: string, size: number): number {
  setFont(pen, size, true)
  return pen.measureText(text).width
}

/** Draws text. @returns the x coordinate of its end */
function write(pen: SKRSContext2D, text: string, { x, y, size, strong = false, color = INK }: TextStyle): number {
  setFont(pen, size, strong)
  pen.fillStyle = color
  pen.fillText(text, x, y)
  return x + pen.measureText(text).width
}

/** Draws the logo (web/public/favicon.svg, on a grid of 24). */
function drawMark(pen: SKRSContext2D): void {
  pen.save()
  pen.translate(EDGE, 104)
  pen.scale(60 / 24, 60 / 24)
  pen.fillStyle = ACCENT
  pen.beginPath()
  pen.roundRect(0, 0, 24, 24, 7)
  pen.fill()
  pen.strokeStyle = ACCENT_INK
  pen.lineWidth = 2.6
  pen.lineCap = 'round'
  pen.lineJoin = 'round'
  for (const side of [6.5, 17.5]) {
    pen.beginPath()
    pen.moveTo(side, 6.5)
    pen.lineTo(12, 12)
    pen.lineTo(side, 17.5)
    pen.stroke()
  }
  pen.restore()
}
