import { type MutationCache, QueryClientContext } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { Button } from './button'
import { Callout } from './callout'
import { shorten } from './shorten'
import { fieldsIn, keyOfTarget } from './typed-fields'
import { createTypedForm, NOTHING_RESTORED, type RestoredText, type TypedField, type TypedForm } from './typed-form'
import { TypedStorageContext } from './typed-storage'

/** Dispatched on a form whose text the user discards by closing it. */
const DISCARD = 'discard'

/** Call it before closing a form because the user has pressed Cancel. */
export function discardTyped(form: HTMLFormElement | null): void {
  form?.dispatchEvent(new Event(DISCARD))
}

type Watch = (submit: () => unknown) => unknown

const watches = new WeakMap<HTMLFormElement, Watch>()

/** Calls what saves a form's text, although the form is not submitted. The text is removed once a call succeeds. */
export function submitTyped(form: HTMLFormElement | null, submit: () => unknown): unknown {
  return ((form && watches.get(form)) ?? ((call) => call()))(submit)
}

interface OwnFields {
  add(field: TypedField): () => void
  change(key: string): void
}

const OwnFieldsContext = createContext<OwnFields | null>(null)

/**
 * Stores what is typed into a form until it is submitted, and restores it when the form is shown again.
 * @param name unique among forms; null if nothing is stored
 * @param record the id of the record that the form edits, unless the path contains it
 */
export function useTypedText(name: string | null, record: string | undefined) {
  const mutations = useContext(QueryClientContext)?.getMutationCache()
  const storage = useContext(TypedStorageContext)
  const { pathname } = useLocation()
  const form = useRef<HTMLFormElement>(null)
  const typed = useRef<TypedForm>(null)
  const [ownFields] = useState(() => new Map<string, TypedField>())
  const [restored, setRestored] = useState<RestoredText>(NOTHING_RESTORED)
  const id = name === null ? null : [pathname, name, record].filter(Boolean).join(' ')

  useEffect(() => {
    const element = form.current
    if (!element || id === null || !storage) return
    const store = createTypedForm({
      ...storage(id),
      fields: () => [...fieldsIn(element), ...ownFields.values()],
      show: setRestored,
    })
    typed.current = store
    const isOpen = () => typed.current === store
    if (mutations) watches.set(element, (submit) => watch(store, mutations, isOpen, submit))
    const stopListening = listen(element, store)
    return () => {
      typed.current = null
      watches.delete(element)
      setRestored(NOTHING_RESTORED)
      stopListening()
    }
  }, [id, storage, ownFields, mutations])

  const own: OwnFields = {
    add(field) {
      ownFields.set(field.key, field)
      queueMicrotask(() => typed.current?.scan())
      return () => void ownFields.delete(field.key)
    },
    change: (key) => typed.current?.change([key]),
  }
  const [context] = useState(own)
  const focusFirst = () => form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus()
  const answer = (act: (store: TypedForm) => void) => () => {
    // React handles the events of each field separately only after the event of the button.
    queueMicrotask(() => {
      if (typed.current) act(typed.current)
      focusFirst()
    })
  }
  const hasNotice = restored.isRestored || restored.conflicts.length > 0
  return {
    form,
    watchSubmit: (submit: () => unknown) => submitTyped(form.current, submit),
    context,
    // Rendered while it is empty, so that screen readers announce what appears in it.
    notice: id !== null && (
      <div aria-live="polite" className={hasNotice ? 'col-span-full w-full' : 'sr-only'}>
        <Notice
          {...restored}
          onDiscard={answer((store) => store.discard())}
          onDiscardConflicts={answer((store) => store.discardConflicts())}
          onUse={answer((store) => store.takeTyped())}
        />
      </div>
    ),
  }
}

/** Submits a form, and removes what was typed once a call of `submit` succeeds. */
function watch(store: TypedForm, mutations: MutationCache, isOpen: () => boolean, submit: () => unknown): unknown {
  const saved = store.submit()
  const pending = new Set<unknown>()
  let isSubmitting = true
  const stop = mutations.subscribe(({ type, mutation }) => {
    if (type === 'added' && isSubmitting) pending.add(mutation)
    const status = mutation?.state.status
    if (type !== 'updated' || !pending.has(mutation) || status === 'pending') return
    pending.delete(mutation)
    if (status === 'success') saved(isOpen())
    if (!isSubmitting && pending.size === 0) stop()
  })
  const result = submit()
  void Promise.resolve(result).finally(() => {
    isSubmitting = false
    if (pending.size === 0) stop()
  })
  return result
}

/** Connects a form's element with what is stored of it. @returns a function that ends it */
function listen(element: HTMLElement, store: TypedForm): () => void {
  const stop = new AbortController()
  const { signal } = stop
  let isDiscarded = false
  const scan = () => {
    if (!signal.aborted) store.scan()
  }
  // Waits for effects that fill the form, and for fields that are about to appear.
  queueMicrotask(scan)
  const appearing = new MutationObserver(scan)
  appearing.observe(element, { childList: true, subtree: true })
  const on = (types: readonly string[], listener: (event: Event) => void, capture = false) => {
    for (const type of types) element.addEventListener(type, listener, { signal, capture })
  }
  on(['focusin'], ({ target }) => {
    const key = keyOfTarget(element, target)
    if (key !== null) store.enter(key)
  })
  on(['input', 'change'], ({ target }) => {
    isDiscarded = false
    const key = keyOfTarget(element, target)
    if (key !== null) store.change([key])
  })
  // Buttons change fields, too: they insert variables or choose an example.
  on(
    ['click'],
    ({ target }) => {
      if (target instanceof Element && target.closest('button[type=reset]')) isDiscarded = true
      const before = new Map(fieldsIn(element).map((field) => [field.key, field.get()]))
      setTimeout(() => {
        if (signal.aborted) return
        const changed = fieldsIn(element).filter(({ key, get }) => before.has(key) && before.get(key) !== get())
        store.change(changed.map(({ key }) => key))
      })
    },
    true,
  )
  on(['reset'], () => store.clear())
  on([DISCARD], () => {
    isDiscarded = true
  })
  return () => {
    appearing.disconnect()
    stop.abort()
    if (isDiscarded) store.clear()
  }
}

interface OwnField {
  key: string
  label: string
  value: string
  set: (value: string) => void
  preview?: (value: string) => string
}

/**
 * Stores the value of a control that is not an input element, with the form around it.
 * @returns a function to call when the user changes it
 */
export function useTypedField({ key, label, value, set, preview }: OwnField): () => void {
  const fields = useContext(OwnFieldsContext)
  const isTouched = useRef(false)
  const get = useEffectEvent(() => value)
  const change = useEffectEvent(set)
  const show = useEffectEvent((stored: string) => preview?.(stored) ?? stored)
  useEffect(
    () => fields?.add({ key, label, isText: true, isDisabled: false, get, set: change, preview: show }),
    [fields, key, label],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value is read when it is stored
  useEffect(() => {
    if (isTouched.current) fields?.change(key)
  }, [fields, key, value])
  return () => {
    isTouched.current = true
  }
}

export const TypedFields = OwnFieldsContext.Provider

interface NoticeProps extends RestoredText {
  onDiscard: () => void
  onDiscardConflicts: () => void
  onUse: () => void
}

const PREVIEW_MAX = 200

/** Says that text was restored, or asks whether it replaces newer values. */
function Notice({ isRestored, conflicts, onDiscard, onDiscardConflicts, onUse }: NoticeProps) {
  if (conflicts.length === 0)
    return (
      isRestored && (
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          We restored what you typed here.
          <Button size="sm" variant="ghost" onClick={onDiscard}>
            Discard
          </Button>
        </p>
      )
    )
  return (
    <Callout
      role="group"
      tone="warn"
      title="This has changed since you typed here"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" onClick={onUse}>
            Use what I typed
          </Button>
          <Button size="sm" variant="ghost" onClick={onDiscardConflicts}>
            Discard what I typed
          </Button>
        </span>
      }
    >
      {conflicts.map(({ key, label, typed }) => (
        <p key={key} className="wrap-anywhere">
          {label}: “<bdi>{shorten(typed, PREVIEW_MAX)}</bdi>”
        </p>
      ))}
    </Callout>
  )
}
