import { RECOGNIZED_LABELS, type RecognizedLabel } from '../contract/src/leads/leads.ts'

interface LabelledText {
  language: string
  label: RecognizedLabel
  text: string
}

/** Reads labeled messages: `# en interested` begins a section with one message per line. */
export function readHeldOut(file: string): LabelledText[] {
  let section: Omit<LabelledText, 'text'> | null = null
  return file.split('\n').flatMap((line) => {
    const [, language, name] = /^# (\w+) (\w+)\s*$/.exec(line) ?? []
    if (language) {
      const label = RECOGNIZED_LABELS.find((candidate) => candidate === name)
      section = label ? { language, label } : null
      return []
    }
    return section && line.trim() !== '' ? [{ ...section, text: line.trim() }] : []
  })
}

/** Returns the F1 score of each label. @param matrix counts by true label, then by predicted label */
export function f1Of(matrix: readonly (readonly number[])[]): number[] {
  return matrix.map((row, label) => {
    const right = row[label] ?? 0
    const predicted = matrix.reduce((sum, other) => sum + (other[label] ?? 0), 0)
    const all = row.reduce((sum, count) => sum + count, 0)
    return predicted + all === 0 ? 1 : (2 * right) / (predicted + all)
  })
}

export function mean(of: readonly number[]): number {
  return of.reduce((sum, value) => sum + value, 0) / (of.length || 1)
}
