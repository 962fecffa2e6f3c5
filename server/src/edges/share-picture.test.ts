import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, it } from 'vitest'
import { drawSharePicture, SHARE_PICTURE } from './share-picture.ts'

/** Left margin, in pixels. */
const EDGE = 96

/** Counts the empty pixels at the right edge. */
async function spaceAtTheRight(png: Buffer): Promise<number> {
  const { width, height } = SHARE_PICTURE
  const pen = createCanvas(width, height).getContext('2d')
  pen.drawImage(await loadImage(png), 0, 0)
  const { data } = pen.getImageData(0, 0, width, height)
  const ground = [...data.subarray(0, 3)]
  const isDrawn = (x: number, y: number) => ground.some((value, i) => data[(y * width + x) * 4 + i] !== value)
  for (let x = width - 1; x > 0; x--) for (let y = 0; y < height; y++) if (isDrawn(x, y)) return width - 1 - x
  return width
}

it.each([null, 1, 88, 12_345, 888_888, 1_234_567])('keeps its right margin free for place %s', async (position) => {
  const space = await spaceAtTheRight(await drawSharePicture(position))
  expect(space).toBeGreaterThanOrEqual(EDGE - 4)
  // Something is drawn, past the middle.
  expect(space).toBeLessThan(SHARE_PICTURE.width / 2)
})
