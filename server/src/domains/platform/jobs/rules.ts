/** The remaining seconds at the pace so far; null while unknown. @param elapsedSeconds since it started */
export function secondsLeft(done: number, total: number, elapsedSeconds: number | null): number | null {
  if (elapsedSeconds === null || done === 0) return null
  return Math.ceil((elapsedSeconds / done) * Math.max(0, total - done))
}
