/** The luminance of a color '#rrggbb', from 0 to 1 (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

/** The contrast of two colors, from 1 to 21 (WCAG 2.2). */
export function contrastOf(color: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(color), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const BLACK = '#000000'
const WHITE = '#ffffff'

/** Black or white, whichever is more readable on the color. The contrast is always at least 4.58. */
export function inkOn(color: string): string {
  return contrastOf(color, BLACK) >= contrastOf(color, WHITE) ? BLACK : WHITE
}

/** The contrast at which a shape is visible (WCAG 2.2, 1.4.11). */
const CONTRAST_OF_SHAPES = 3
/** Approximately the canvas of the dark scheme (ui/tokens.css). */
const DARK_CANVAS = '#171a16'

/** A CSS color for shapes on either scheme's canvas. The color is mixed with black or white until it is visible. */
export function shapeColor(color: string): string {
  return `light-dark(${visibleOn(WHITE, color, BLACK)}, ${visibleOn(DARK_CANVAS, color, WHITE)})`
}

function visibleOn(canvas: string, color: string, ink: string): string {
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = mix(color, ink, share)
    if (contrastOf(mixed, canvas) >= CONTRAST_OF_SHAPES) return mixed
  }
  return ink
}

function mix(color: string, ink: string, share: number): string {
  const inks = channelsOf(ink)
  const mixed = channelsOf(color).map((channel, at) => Math.round(channel + ((inks[at] ?? 0) - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
