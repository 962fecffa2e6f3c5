/** The remaining seconds at the current speed; null: unknown. @param elapsedSeconds since the job started */
export function secondsLeft(done: number, total: number, elapsedSeconds: number | null): number | null {
  if (elapsedSeconds === null || done === 0) return null
  return Math.ceil((elapsedSeconds / done) * Math.max(0, total - done))
}
