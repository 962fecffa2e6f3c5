export interface Size {
  width: number
  height: number
}

/**
 * The sizes that an image states, of its canvas and of each frame, because decoders do not all read
 * the same one. @param format image-size's name of the type @throws RangeError if the file ends
 * within a header
 */
export function frameSizes(bytes: Buffer, format: string): Size[] {
  if (format === 'jpg') return jpegSizes(bytes)
  return format === 'png' ? pngSizes(bytes) : webpSizes(bytes, 12)
}

/** Markers of frames (SOF) are C0 to CF, except tables (C4, CC) and a reserved one (C8). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSizes(bytes: Buffer): Size[] {
  const sizes: Size[] = []
  let at = 2
  while (at < bytes.length) {
    const marker = bytes[at + 1] ?? 0
    // Between segments there may be coded data and fill bytes.
    if (bytes[at] !== 0xff || marker < 0xc0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8)) at += 1
    else if (marker === 0xd9) break
    else {
      if (isFrame(marker)) sizes.push({ height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) })
      at += 2 + bytes.readUInt16BE(at + 2)
    }
  }
  return sizes
}

function pngSizes(bytes: Buffer): Size[] {
  const sizes: Size[] = []
  for (let at = 8; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IEND') break
    // In fcTL, the size follows the frame's sequence number.
    const offset = name === 'IHDR' ? 8 : 12
    if (name === 'IHDR' || name === 'fcTL')
      sizes.push({ width: bytes.readUInt32BE(at + offset), height: bytes.readUInt32BE(at + offset + 4) })
    at += 12 + bytes.readUInt32BE(at)
  }
  return sizes
}

/** @param from where the chunks begin */
function webpSizes(bytes: Buffer, from: number): Size[] {
  const sizes: Size[] = []
  for (let at = from; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const data = at + 8
    const end = data + bytes.readUInt32LE(at + 4)
    if (name === 'VP8X' || name === 'ANMF') {
      const sizeAt = data + (name === 'VP8X' ? 4 : 6)
      sizes.push({ width: bytes.readUIntLE(sizeAt, 3) + 1, height: bytes.readUIntLE(sizeAt + 3, 3) + 1 })
      if (name === 'ANMF') sizes.push(...webpSizes(bytes.subarray(0, end), data + 16))
    } else if (name === 'VP8 ') {
      sizes.push({ width: bytes.readUInt16LE(data + 6) & 0x3fff, height: bytes.readUInt16LE(data + 8) & 0x3fff })
    } else if (name === 'VP8L') {
      const bits = bytes.readUInt32LE(data + 1)
      sizes.push({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 })
    }
    // Chunks are padded to an even size.
    at = end + (end % 2)
  }
  return sizes
}
