/** Whether proofs run long, as in `npm test -- proof`. In a full run, each proof runs for seconds only. */
export const isLongProof = process.env.PROOF === 'long'
