import {
  LOGO_BYTES_MAX,
  LOGO_PIXELS_MAX,
  LOGO_TOO_LARGE,
  LOGO_TYPES,
  LOGO_UNKNOWN,
} from '@x-automated/contract/platform/branding-limits'
import { disableTypes, imageSize, types } from 'image-size'
import { frameSizes } from './rules-frames.ts'

const DATA_URL = new RegExp(`^data:(${LOGO_TYPES.join('|')});base64,([A-Za-z0-9+/]+={0,2})$`)

/** image-size's names for LOGO_TYPES. */
const FORMATS: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }
// Disables image-size's readers of other types.
disableTypes(types.filter((type) => !Object.values(FORMATS).includes(type)))

/**
 * The problem of a logo's data URL; null: it has none. The bytes decide: only images whose format
 * and size we can read are accepted, so no page ever gets an SVG or a document.
 */
export function logoProblem(url: string): string | null {
  const [, type, text = ''] = DATA_URL.exec(url) ?? []
  if (type === undefined) return LOGO_UNKNOWN
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > LOGO_BYTES_MAX) return LOGO_TOO_LARGE
  if (typeOf(bytes) !== FORMATS[type]) return LOGO_UNKNOWN
  const sizes = sizesOf(bytes, FORMATS[type])
  const isOfOneSize = type !== 'image/jpeg' || sizes?.length === 1
  if (!sizes || sizes.length === 0 || !isOfOneSize) return LOGO_UNKNOWN
  const isSane = sizes
    .flatMap(({ width, height }) => [width, height])
    .every((pixels) => pixels >= 1 && pixels <= LOGO_PIXELS_MAX)
  return isSane ? null : `must be at most ${LOGO_PIXELS_MAX} pixels wide and high`
}

/** image-size's name of an image's type; null if it is unknown. */
function typeOf(bytes: Buffer) {
  try {
    return imageSize(bytes).type ?? null
  } catch {
    return null
  }
}

/** The sizes of an image's frames; null if they cannot be read. */
function sizesOf(bytes: Buffer, format: string) {
  try {
    return frameSizes(bytes, format)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
