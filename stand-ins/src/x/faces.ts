import { hash } from './hash.ts'

/** Four times the smallest size of a picture on X, for high-density screens. */
const SIZE = 192
const BACKGROUNDS = [
  ...['#b6e3f4', '#c0aede', '#d1d4f9', '#ffd5dc', '#ffdfbf'],
  ...['#c8e6c9', '#f4d58d', '#a7c4a0', '#f2b5a7', '#9cc5e0'],
]
/** Friendly people without masks or beards, because handles contain all kinds of first names. */
const LOOKS = {
  expressionVariant: ['calm', 'cheeky', 'cute', 'explaining', 'eyesClosed', 'lovingGrin1', 'smile', 'smileBig'],
  accessoriesVariant: ['glasses', 'glasses2', 'glasses3', 'glasses4', 'glasses5', 'sunglasses'],
  accessoriesProbability: 25,
  facialHairProbability: 0,
  maskProbability: 0,
  headContrastColor: ['#2c1b18', '#4a312c', '#724133', '#a55728', '#b58143', '#d6b370'],
} as const

let drawing: Promise<(handle: string) => Promise<Buffer>> | undefined

/** Draws a person's face, which never changes: Open Peeps by Pablo Stanley (CC0), as WebP. */
export async function drawFace(handle: string): Promise<Buffer> {
  drawing ??= loadDrawing()
  return (await drawing)(handle)
}

// Loaded on first use, because both libraries are large.
async function loadDrawing() {
  const [{ Avatar, Style }, { default: peeps }, { createCanvas, loadImage }] = await Promise.all([
    import('@dicebear/core'),
    import('@dicebear/styles/open-peeps.json', { with: { type: 'json' } }),
    import('@napi-rs/canvas'),
  ])
  const style = new Style(peeps)
  return async (handle: string) => {
    const backgroundColor = BACKGROUNDS[hash(`background ${handle}`) % BACKGROUNDS.length] as string
    const face = new Avatar(style, { ...LOOKS, seed: handle, size: SIZE, backgroundColor })
    const canvas = createCanvas(SIZE, SIZE)
    canvas.getContext('2d').drawImage(await loadImage(Buffer.from(face.toString())), 0, 0, SIZE, SIZE)
    return canvas.encode('webp', 85)
  }
}
