/**
 * Selects a theme. The script that stores and applies it listens for changes of inputs named `theme`.
 * @param theme 'system', 'light' or 'dark'
 */
export function setTheme(theme: string): void {
  const radio = document.querySelector<HTMLInputElement>(`input[name=theme][value=${theme}]`)
  if (radio) {
    radio.checked = true
    change(radio)
    return
  }
  // A page without the footer has no switch.
  const input = Object.assign(document.createElement('input'), { name: 'theme', value: theme, hidden: true })
  document.body.append(input)
  change(input)
  input.remove()
}

/** Says that an input has changed. A press would not, if the radio is checked already. */
function change(input: HTMLInputElement): void {
  input.dispatchEvent(new Event('change', { bubbles: true }))
}
