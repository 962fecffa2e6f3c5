import {
  LOGO_BYTES_MAX,
  LOGO_PIXELS_MAX,
  LOGO_TOO_LARGE,
  LOGO_TYPES,
  LOGO_UNKNOWN,
} from '@x-automated/contract/platform/branding-limits'

const DATA_URL = new RegExp(`^data:(${LOGO_TYPES.join('|')});base64,([A-Za-z0-9+/]+={0,2})$`)

interface Size {
  width: number
  height: number
}

/**
 * What is wrong with a logo's data URL, or null. Its bytes decide what it is: only images whose
 * format and size we can read are accepted, so that no page ever gets an SVG or a document.
 */
export function logoProblem(url: string): string | null {
  const [, type, text = ''] = DATA_URL.exec(url) ?? []
  if (type === undefined) return LOGO_UNKNOWN
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > LOGO_BYTES_MAX) return LOGO_TOO_LARGE
  const size = SIZES[type as keyof typeof SIZES](bytes)
  if (!size) return LOGO_UNKNOWN
  const isSane = [size.width, size.height].every((pixels) => pixels >= 1 && pixels <= LOGO_PIXELS_MAX)
  return isSane ? null : `must be at most ${LOGO_PIXELS_MAX} pixels wide and high`
}

/** Each reads the size from an image's header; null: it is not in this format. */
const SIZES = { 'image/png': sizeOfPng, 'image/jpeg': sizeOfJpeg, 'image/webp': sizeOfWebp }

const textAt = (bytes: Buffer, start: number, length: number) => bytes.toString('latin1', start, start + length)

/** A signature, then the IHDR chunk (the PNG specification, 5.2 and 11.2.2). */
function sizeOfPng(bytes: Buffer): Size | null {
  const isPng = bytes.length > 33 && textAt(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' && textAt(bytes, 12, 4) === 'IHDR'
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null
}

/** Segments up to the start of a frame, SOF (ITU-T T.81, B.1 and B.2.2). */
function sizeOfJpeg(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** A RIFF container that starts with a VP8, VP8L or VP8X chunk (RFC 9649). */
function sizeOfWebp(bytes: Buffer): Size | null {
  if (bytes.length < 30 || textAt(bytes, 0, 4) !== 'RIFF' || textAt(bytes, 8, 4) !== 'WEBP') return null
  const kind = textAt(bytes, 12, 4)
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L' || bytes[20] !== 0x2f) return null
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
