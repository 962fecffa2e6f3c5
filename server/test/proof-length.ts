/** Whether proofs run long: `npm test -- proof`. A full run repeats each of them a few times only. */
export const isLongProof = process.env.PROOF === 'long'
