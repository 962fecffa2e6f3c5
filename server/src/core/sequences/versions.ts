import type { VersionStep, VersionVariant } from '../tables/sequences.ts'

/** A step that an enrollment reached, with its number in the version of that time. */
export interface StepReference {
  id: string
  number: number
}

/** How far an enrollment has come. */
export interface Progress {
  /** The last step that was sent; null: none yet. */
  lastSent: StepReference | null
  /** The last step that was skipped because its condition was not met; null: none yet. */
  lastSkipped: StepReference | null
  /** Every step that was sent, in any version. */
  sentStepIds: ReadonlySet<string>
}

export type ApplyTo = 'unpassed' | 'unstarted'

/** The number of the first step that differs between two versions; null: they are the same. */
export function firstChangedStep(before: readonly VersionStep[], after: readonly VersionStep[]): number | null {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [was, is] = [before[index], after[index]]
    if (!was || !is || !isSameStep(was, is)) return index + 1
  }
  return null
}

/**
 * Whether a new version applies to an enrollment. @param before the version that the new one
 * replaces, which need not be the enrollment's own @param firstChanged from `firstChangedStep`
 */
export function isAffected(
  before: readonly VersionStep[],
  firstChanged: number | null,
  { lastSent }: Pick<Progress, 'lastSent'>,
  applyTo: ApplyTo,
): boolean {
  if (firstChanged === null) return false
  if (applyTo === 'unstarted') return lastSent === null
  return numberIn(before, lastSent) < firstChanged
}

/**
 * The step with which an enrollment continues in a version: the first one after the passed steps
 * that was not sent before. Null: no step follows.
 */
export function continuesWith<S extends VersionStep>(steps: readonly S[], progress: Progress): S | null {
  const passed = Math.max(numberIn(steps, progress.lastSent), numberIn(steps, progress.lastSkipped))
  return steps.find((step, index) => index >= passed && !progress.sentStepIds.has(step.id)) ?? null
}

/** The number of a step in another version; its old number if it no longer exists, 0 for none. */
export function numberIn(steps: readonly VersionStep[], step: StepReference | null): number {
  if (!step) return 0
  const index = steps.findIndex(({ id }) => id === step.id)
  return index >= 0 ? index + 1 : step.number
}

/** Whether a step's test starts again: its active variants, weights, window or allocation have changed. */
export function startsNewTest(before: VersionStep, after: VersionStep): boolean {
  if (before.testWindowDays !== after.testWindowDays || before.allocation !== after.allocation) return true
  const active = ({ variants }: VersionStep) =>
    variants
      .filter(({ isActive }) => isActive)
      .map(({ id, weight }) => `${id} ${weight}`)
      .sort()
      .join()
  return active(before) !== active(after)
}

/** A variant to save. Without an id, the variant is new. */
export interface VariantEdit {
  id?: string | undefined
  name?: string | undefined
  messageTemplate: string
  weight: number
  isActive: boolean
}

/** How an edit treats the existing variants. */
export interface Ids {
  /** Whether the variant has results, which stay: if an edit leaves the variant out, it is retired. */
  isUsed(variantId: string): boolean
  /** Whether the variant was sent, so its text stays: an edit of the text retires it and creates a new variant. */
  isFrozen(variantId: string): boolean
  newId(): string
}

/** The variants of a step after an edit. */
export function editVariants(
  before: readonly VersionVariant[],
  edits: readonly VariantEdit[],
  { isUsed, isFrozen, newId }: Ids,
): VersionVariant[] {
  const previous = new Map(before.map((variant) => [variant.id, variant]))
  const isKept = ({ id, messageTemplate }: VariantEdit, was: VersionVariant) =>
    id === was.id && !(isFrozen(was.id) && messageTemplate !== was.messageTemplate)
  const retired = before
    .filter((was) => isUsed(was.id) && !edits.some((edit) => isKept(edit, was)))
    .map((variant) => ({ ...variant, isActive: false }))
  const names = new Set([...before, ...edits].flatMap(({ name }) => name ?? []))
  /** The name of a retired variant stays with its results. */
  const nameOf = (name: string | undefined) =>
    name === undefined || retired.some((variant) => variant.name === name) ? takeName(names) : name
  const edited = edits.map(({ id, name, ...edit }) => {
    const was = id === undefined ? undefined : previous.get(id)
    if (!was || !isKept({ id, ...edit }, was)) return { ...edit, id: newId(), name: nameOf(name) }
    return { ...edit, id: was.id, name: nameOf(name ?? was.name) }
  })
  return [...edited, ...retired]
}

/** Takes the first free name of A, B, …, Z, AA, … */
function takeName(used: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const name = variantName(number)
    if (used.has(name)) continue
    used.add(name)
    return name
  }
}

/** 1 → 'A', 26 → 'Z', 27 → 'AA' */
export function variantName(number: number): string {
  const rest = Math.floor((number - 1) / 26)
  return (rest > 0 ? variantName(rest) : '') + String.fromCharCode(65 + ((number - 1) % 26))
}

function isSameStep(a: VersionStep, b: VersionStep): boolean {
  const { variants: ofA, delay: delayA, ...restA } = a
  const { variants: ofB, delay: delayB, ...restB } = b
  return (
    isSame(restA, restB) &&
    isSame(delayA ?? {}, delayB ?? {}) &&
    ofA.length === ofB.length &&
    ofA.every((variant, index) => isSame(variant, ofB[index] ?? {}))
  )
}

/** Whether two flat objects have the same values. */
function isSame(a: object, b: object): boolean {
  const [ofA, ofB] = [Object.entries(a), new Map(Object.entries(b))]
  return ofA.length === ofB.size && ofA.every(([key, value]) => ofB.get(key) === value)
}
