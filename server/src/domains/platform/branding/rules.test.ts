import { createCanvas } from '@napi-rs/canvas'
import {
  LOGO_BYTES_MAX,
  LOGO_PIXELS_MAX,
  LOGO_TOO_LARGE,
  LOGO_UNKNOWN,
} from '@x-automated/contract/platform/branding-limits'
import { describe, expect, it } from 'vitest'
import { logoProblem } from './rules.ts'

type Format = 'png' | 'jpeg' | 'webp'

/** Creates a real image. */
function imageOf(format: Format, width = 64, height = 32): Buffer {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#1d7a3c'
  context.fillRect(0, 0, width, height)
  return format === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer(`image/${format}` as 'image/jpeg')
}

const urlOf = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`

describe('logoProblem', () => {
  const png = imageOf('png')
  it.each(['png', 'jpeg', 'webp'] as const)('accepts a real %s image', (format) => {
    expect(logoProblem(urlOf(`image/${format}`, imageOf(format)))).toBeNull()
  })

  it.each(['png', 'jpeg', 'webp'] as const)('reads the size of a %s image', (format) => {
    const wide = imageOf(format, LOGO_PIXELS_MAX + 1, 1)
    expect(logoProblem(urlOf(`image/${format}`, wide))).toMatch(/^must be at most 1024 pixels/)
    const tall = imageOf(format, 1, LOGO_PIXELS_MAX + 1)
    expect(logoProblem(urlOf(`image/${format}`, tall))).toMatch(/^must be at most 1024 pixels/)
    expect(logoProblem(urlOf(`image/${format}`, imageOf(format, LOGO_PIXELS_MAX, 1)))).toBeNull()
  })

  it('reads WebP images of all kinds', () => {
    // A lossless image of 1 × 1, and the header of an extended one of 400 × 300.
    const lossless = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='
    const extended = Buffer.from(imageOf('webp'))
    extended.write('VP8X', 12, 'latin1')
    extended.writeUIntLE(399, 24, 3)
    extended.writeUIntLE(299, 27, 3)
    expect([`data:image/webp;base64,${lossless}`, urlOf('image/webp', extended)].map(logoProblem)).toEqual([null, null])
    extended.writeUIntLE(16_000, 24, 3)
    expect(logoProblem(urlOf('image/webp', extended))).toMatch(/pixels/)
  })

  it('reads the size of each frame, not only of the canvas', () => {
    const chunk = (name: string, data: Buffer) => {
      const head = Buffer.alloc(8)
      head.write(name, 'latin1')
      head.writeUInt32LE(data.length, 4)
      return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
    }
    const webp = (...chunks: Buffer[]) => chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
    const canvas = Buffer.alloc(10)
    canvas.writeUIntLE(99, 4, 3)
    canvas.writeUIntLE(99, 7, 3)
    const frameOf = (width: number) => {
      const frame = Buffer.alloc(16)
      frame.writeUIntLE(width - 1, 6, 3)
      return frame
    }
    const imageIn = (width: number) => imageOf('webp', width, 1).subarray(12)
    const problemOf = (...chunks: Buffer[]) => logoProblem(urlOf('image/webp', webp(chunk('VP8X', canvas), ...chunks)))
    const animated = (stated: number, real: number) =>
      problemOf(chunk('ANMF', Buffer.concat([frameOf(stated), imageIn(real)])))
    expect([animated(100, 100), problemOf(imageIn(100))]).toEqual([null, null])
    for (const problem of [animated(4_096, 100), animated(100, 4_096), problemOf(imageIn(4_096))])
      expect(problem).toMatch(/^must be at most 1024 pixels/)
    // An animated PNG, and one with two headers.
    const frame = Buffer.alloc(38)
    frame.writeUInt32BE(26, 0)
    frame.write('fcTL', 4, 'latin1')
    frame.writeUInt32BE(4_096, 12)
    const header = png.subarray(8, 33)
    const large = imageOf('png', 4_096, 1).subarray(8, 33)
    for (const extra of [frame, large])
      expect(
        logoProblem(urlOf('image/png', Buffer.concat([png.subarray(0, 8), header, extra, png.subarray(33)]))),
      ).toMatch(/^must be at most 1024 pixels/)
  })

  it('rejects a JPEG with two frames', () => {
    const jpeg = imageOf('jpeg')
    const at = jpeg.findIndex((byte, index) => byte === 0xff && [0xc0, 0xc2].includes(jpeg[index + 1] ?? 0))
    const frame = Buffer.from(jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2)))
    frame.writeUInt16BE(4_096, 5)
    for (const where of [at, at + frame.length])
      expect(
        logoProblem(urlOf('image/jpeg', Buffer.concat([jpeg.subarray(0, where), frame, jpeg.subarray(where)]))),
      ).toBe(LOGO_UNKNOWN)
  })

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  it.each([
    ['an SVG', urlOf('image/svg+xml', svg)],
    ['an SVG that says it is a PNG', urlOf('image/png', svg)],
    ['a GIF', urlOf('image/gif', Buffer.from('GIF89a'))],
    ['a page', urlOf('text/html', Buffer.from('<p>'))],
    ['a JPEG that says it is a PNG', urlOf('image/png', imageOf('jpeg'))],
    ['a PNG that says it is a JPEG', urlOf('image/jpeg', png)],
    ['a PNG that says it is a WebP', urlOf('image/webp', png)],
    ['a PNG that ends in its signature', urlOf('image/png', png.subarray(0, 12))],
    ['a JPEG without a frame', urlOf('image/jpeg', imageOf('jpeg').subarray(0, 20))],
    ['a JPEG whose segments never end', urlOf('image/jpeg', Buffer.from('ffd8ffe00000ffd8ffe0', 'hex'))],
    ['parameters', urlOf('image/png;charset=utf-8', png)],
    ['another encoding', `data:image/png,${png.toString('latin1')}`],
    ['broken base64', 'data:image/png;base64,%%%'],
    ['a URL', 'https://example.com/logo.png'],
    ['nothing', ''],
  ])('rejects %s', (_, url) => {
    expect(logoProblem(url)).toBe(LOGO_UNKNOWN)
  })

  it('accepts 100 KB and rejects one byte more', () => {
    const padded = (length: number) => Buffer.concat([png, Buffer.alloc(length - png.length)])
    expect(logoProblem(urlOf('image/png', padded(LOGO_BYTES_MAX)))).toBeNull()
    expect(logoProblem(urlOf('image/png', padded(LOGO_BYTES_MAX + 1)))).toBe(LOGO_TOO_LARGE)
  })
})
