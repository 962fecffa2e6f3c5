import { errorCode } from '../../api'

/** What a deletion left to take it back by: for each part of it, its id and how many leads it held. */
export type Removal = { id: string; count: number }[]

export const removedCount = (removal: Removal): number => removal.reduce((sum, { count }) => sum + count, 0)

/**
 * Takes a deletion back, part after part. Where a part fails it stays to be asked for again, with those behind it; one that is over for good holds up nobody.
 * @param onRest told after each part what is left
 * @returns how many leads are back
 * @throws what a part failed with; where parts were only over, once the others are back
 */
export async function takeBack(
  removal: Removal,
  restore: (removalId: string) => Promise<{ restored: number }>,
  onRest: (rest: Removal) => void,
): Promise<number> {
  let restored = 0
  let over: unknown = null
  for (const [place, { id }] of removal.entries()) {
    try {
      restored += (await restore(id)).restored
    } catch (error) {
      if (errorCode(error) !== 'REMOVAL_NOT_FOUND') throw error
      over = error
    }
    onRest(removal.slice(place + 1))
  }
  if (over) throw over
  return restored
}
