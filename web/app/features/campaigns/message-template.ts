import { fillSegment, type Recipient, readPlaces, type Vocabulary } from '@x-automated/contract/template'

export type { Recipient }

/** Part of a message as one lead would read it. */
export interface Piece {
  /** `filled` came from the lead; `missing` is the place's fallback, as the lead has nothing for it; `unknown` is a place that nothing fills: the API refuses it. */
  kind: 'words' | 'filled' | 'missing' | 'unknown'
  text: string
}

/** Stands in where no list is picked, or where it is empty. */
export const exampleLead: Recipient = { name: 'Maya Okafor', twitterHandle: 'mayabuilds', metadata: {} }

/** Places to insert with one press, with what each becomes. */
export const placeholders = [
  { text: '{lead_name}', words: "The lead's name, or “there” where it is missing" },
  { text: '{twitter_handle}', words: 'The handle on X, with its @' },
  { text: '{company|your team}', words: 'A column of your CSV file, and what stands where it is empty' },
] as const

/** A template as one lead would read it, in pieces, for the preview. */
export function previewOf(template: string, lead: Recipient, vocabulary: Vocabulary = 'campaign'): Piece[] {
  return readPlaces(template, vocabulary).map((segment) => {
    if (segment.kind === 'words') return { kind: 'words', text: segment.words }
    if (segment.kind === 'unknown') return { kind: 'unknown', text: segment.written }
    const filled =
      segment.kind === 'handle' ? fillSegment(segment, lead) : fillSegment({ ...segment, fallback: '' }, lead)
    return filled === '' ? { kind: 'missing', text: fillSegment(segment, lead) } : { kind: 'filled', text: filled }
  })
}

/** Places that nothing fills, as they were written. */
export function unknownPlaceholders(template: string, vocabulary: Vocabulary = 'campaign'): string[] {
  return [
    ...new Set(readPlaces(template, vocabulary).flatMap((place) => (place.kind === 'unknown' ? [place.written] : []))),
  ]
}
