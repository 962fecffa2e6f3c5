/** 95%. */
const Z = 1.96

/** The confidence interval of a rate (Wilson score), from 0 to 1. */
export function rateInterval(successes: number, count: number): { from: number; to: number } {
  if (count === 0) return { from: 0, to: 1 }
  const rate = successes / count
  const middle = rate + Z ** 2 / (2 * count)
  const margin = Z * Math.sqrt((rate * (1 - rate)) / count + Z ** 2 / (4 * count ** 2))
  const scale = 1 + Z ** 2 / count
  return { from: Math.max(0, (middle - margin) / scale), to: Math.min(1, (middle + margin) / scale) }
}

/** How close the evidence is to what a verdict needs, on a log scale from 0 to 1. */
export function evidenceShare(evidence: number, needed: number): number {
  return Math.min(1, Math.max(0, Math.log(Math.max(1, evidence)) / Math.log(needed)))
}
