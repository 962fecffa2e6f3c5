import { Monitor, Moon, Sun } from 'lucide-react'
import { useEffect } from 'react'

const themes = [
  { value: 'system', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
]

/** Selects system, light or dark. features/overview/shell/startup-script.ts stores and applies it. */
export function ThemeSwitch() {
  // The footer returns after pages without it.
  useEffect(() => check(document.documentElement.dataset.theme ?? 'system'), [])
  return (
    <fieldset className="flex w-fit gap-0.5 rounded-full border border-line p-0.5 noscript:hidden">
      <legend className="sr-only">Color theme</legend>
      {themes.map(({ value, label, icon: Icon }) => (
        <label
          key={value}
          title={label}
          className="relative flex size-7 items-center justify-center rounded-full text-muted transition-colors hover:text-ink has-checked:bg-pressed has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent-line pointer-coarse:size-10"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            defaultChecked={value === 'system'}
            className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
          />
          <Icon aria-hidden className="size-3.5" />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

const radioOf = (theme: string) => document.querySelector<HTMLInputElement>(`input[name=theme][value=${theme}]`)

function check(theme: string): void {
  const radio = radioOf(theme)
  if (radio) radio.checked = true
}

/** Selects a theme. The script that stores and applies it listens for changes of such inputs. */
export function setTheme(theme: string): void {
  check(theme)
  const radio = radioOf(theme)
  if (radio) {
    // A press would change nothing if the radio is checked already.
    radio.dispatchEvent(new Event('change', { bubbles: true }))
    return
  }
  // A page without the footer has no switch.
  const input = Object.assign(document.createElement('input'), { name: 'theme', value: theme, hidden: true })
  document.body.append(input)
  input.dispatchEvent(new Event('change', { bubbles: true }))
  input.remove()
}
