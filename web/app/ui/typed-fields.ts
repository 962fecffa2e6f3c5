import type { TypedField } from './typed-form'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Controls whose values are never stored: secrets and codes, searches, files, and controls that hold no text of their own. */
const NOT_STORED = [
  '[type=password], [data-secret], [autocomplete=one-time-code], [autocomplete=current-password]',
  '[autocomplete=new-password], [autocomplete^=cc-]',
  '[type=search], [role=combobox], [data-not-stored] *',
  '[type=file], [type=hidden], [type=range], [type=submit], [type=button], [type=reset]',
  '[readonly], [aria-hidden=true], [hidden]',
].join(', ')

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')

/** The controls of a form whose values are stored. */
function controlsIn(form: HTMLElement): Control[] {
  return [...form.querySelectorAll<Control>('input, textarea, select')].filter(
    (control) => !control.matches(NOT_STORED) && control.closest('[data-form]') === form,
  )
}

function labelOf(control: Control): string {
  const label = control.type === 'radio' ? control.closest('fieldset')?.querySelector('legend') : control.labels?.[0]
  return (label?.textContent || control.getAttribute('aria-label') || control.getAttribute('placeholder') || '').trim()
}

/** React's generated ids and names change when a page changes. */
const isGenerated = (name: string) => name === '' || /^[:«_]r/.test(name)

function nameOf(control: Control): string {
  const name = isGenerated(control.name) ? labelOf(control) : control.name
  return isChoice(control) ? `${name}=${control.value}` : name
}

/** Sets a value in a way that React notices. */
function setValue(control: Control, value: string): void {
  if (isChoice(control)) {
    if (control.checked !== (value !== '') && (value !== '' || control.type === 'checkbox')) control.click()
    return
  }
  // React replaces the property of the element, so that it can ignore values that it has set itself.
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set
  setter?.call(control, value)
  control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

/** The fields of a form, with keys that stay the same after a reload. */
export function fieldsIn(form: HTMLElement): TypedField[] {
  const counts = new Map<string, number>()
  return controlsIn(form).map((control) => {
    const name = nameOf(control)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return {
      key: count === 1 ? name : `${name} ${count}`,
      label: labelOf(control),
      isText: !isChoice(control) && !(control instanceof HTMLSelectElement),
      isDisabled: control.matches(':disabled'),
      get: () => (isChoice(control) ? (control.checked ? 'on' : '') : control.value),
      set: (value) => setValue(control, value),
      accepts: (value) =>
        !(control instanceof HTMLSelectElement) || [...control.options].some((option) => option.value === value),
    }
  })
}

/** The key of the field that an event comes from, or null. */
export function keyOfTarget(form: HTMLElement, target: EventTarget | null): string | null {
  const index = controlsIn(form).indexOf(target as Control)
  return fieldsIn(form)[index]?.key ?? null
}
