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

/** A real image. */
function imageOf(format: Format, width = 64, height = 32): Buffer {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#1d7a3c'
  context.fillRect(0, 0, width, height)
  return format === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer(`image/${format}` as 'image/jpeg')
}

const urlOf = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`

describe('logoProblem', () => {
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

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const png = imageOf('png')
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
