import type { Look } from './finder-demo-people'

/** Names of color tokens, not colors, so that the first page's styles stay small. */
const GROUNDS = ['tag-amber', 'tag-blue', 'tag-green', 'tag-pink', 'tag-violet', 'tag-teal']
const SHIRTS = ['tag-blue', 'tag-red', 'tag-teal', 'tag-violet', 'tag-amber', 'tag-gray']
const SKINS = ['face-skin-1', 'face-skin-2', 'face-skin-3', 'face-skin-4']
const HAIRS = ['face-hair-1', 'face-hair-2', 'face-hair-3', 'face-hair-4']
/** For each haircut, the hair behind and in front of the head, in a 36 × 36 box. */
const CUTS: readonly (readonly [behind: string, before: string])[] = [
  ['', 'M11 15c0-6 3-8 7-8s7 2 7 8c-2-3-5-4-7-4s-5 1-7 4z'],
  ['M10 27V15c0-6 4-9 8-9s8 3 8 9v12z', 'M12 15c0-5 3-7 6-7s6 2 6 7c-2-3-9-2-12 0z'],
  ['M14 7a4 4 0 1 1 8 0z', 'M11 16c0-6 3-9 7-9s7 3 7 9c-1-4-3-5-7-5s-6 1-7 5z'],
  ['', 'M11 14c-1-5 3-8 7-8s9 2 7 9c-1-3-3-4-5-4-4 0-7 0-9 3z'],
  ['M9 20a9 10 0 1 1 18 0c0 3-1 4-2 4H11c-1 0-2-1-2-4z', 'M12 14c1-4 3-6 6-6s5 2 6 6c-4-2-8-2-12 0z'],
]

/** The shapes of a made-up face in a 36 × 36 box, back to front. */
export function shapesOf({ skin, hair, cut, shirt }: Look): { d: string; fill: string; fillOpacity: number }[] {
  const [behind, before] = CUTS[cut] ?? ['', '']
  const shape = (d: string, token = '', fillOpacity = 1) => ({ d, fill: `var(--color-${token})`, fillOpacity })
  return [
    shape('M0 0h36v36H0z', GROUNDS[(shirt + hair) % GROUNDS.length], 0.2),
    shape(behind, HAIRS[hair]),
    shape('M6 36c0-8 5-10 12-10s12 2 12 10z', SHIRTS[shirt]),
    shape('M15 22h6v5a3 3 0 0 1-6 0z', SKINS[skin]),
    shape('M12 16a6 7 0 0 1 12 0 6 7 0 0 1-12 0z', SKINS[skin]),
    shape(before, HAIRS[hair]),
  ].filter(({ d }) => d !== '')
}
