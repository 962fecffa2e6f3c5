import {
  fillSegment,
  type Recipient,
  readSegments,
  readWritten,
  type UnknownVariable,
} from '@x-automated/contract/outreach/template'
import { OPENER_VARIABLE } from '../writer/opener-variable'

export type { Recipient }

/** Part of a message as a lead sees it. */
export interface Piece {
  /** `missing`: a fallback. `opener`: an AI opener's fallback. `unknown`: a variable that the API rejects. */
  kind: 'text' | 'filled' | 'missing' | 'opener' | 'unknown'
  text: string
}

/** Shown if no list is selected or the list is empty. */
export const exampleLead: Recipient = {
  name: 'Maya Okafor',
  firstName: 'Maya',
  twitterHandle: 'mayabuilds',
  metadata: {},
}

/** Variables with an insert button, and what replaces them. */
export const placeholders = [
  { text: '{first_name}', hint: 'Their first name, or “there” if their name does not tell it' },
  { text: '{lead_name}', hint: "The lead's name, or “there” if it is missing" },
  { text: '{twitter_handle}', hint: 'The X handle, with @' },
  {
    text: OPENER_VARIABLE,
    hint: 'A sentence about each person, written by the AI writer and approved by you. Otherwise this fallback is sent',
  },
  { text: '{company|your team}', hint: 'A column of your CSV, with a fallback for empty values' },
] as const

/** The parts of a template as a lead sees it. */
export function previewOf(template: string, lead: Recipient): Piece[] {
  return readSegments(template).map((segment) => {
    if (segment.kind === 'words') return { kind: 'text', text: segment.words }
    if (segment.kind === 'unknown') return { kind: 'unknown', text: segment.written }
    if (segment.kind === 'opener') return { kind: lead.opener ? 'filled' : 'opener', text: fillSegment(segment, lead) }
    const filled =
      segment.kind === 'handle' ? fillSegment(segment, lead) : fillSegment({ ...segment, fallback: '' }, lead)
    return filled === '' ? { kind: 'missing', text: fillSegment(segment, lead) } : { kind: 'filled', text: filled }
  })
}

/** The parts of a template as written. Known variables are `filled`. */
export function writtenPieces(template: string): Piece[] {
  return readWritten(template).map(({ segment: { kind }, written }) => ({
    kind: kind === 'words' ? 'text' : kind === 'unknown' ? 'unknown' : 'filled',
    text: written,
  }))
}

/** A template's unknown variables, without duplicates. */
export function unknownVariables(template: string): UnknownVariable[] {
  const places = readSegments(template).filter((placeholder) => placeholder.kind === 'unknown')
  return places.filter(({ written }, index) => places.findIndex((other) => other.written === written) === index)
}
