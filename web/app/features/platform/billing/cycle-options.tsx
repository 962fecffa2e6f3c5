import { Badge } from '../../../ui/badge'

/** Options of the billing cycle switch. @param saving badge of the yearly one: 'Save 40%' */
export function cycleOptions(saving: string) {
  return [
    { value: 'monthly', label: 'Monthly' },
    {
      value: 'yearly',
      label: (
        <>
          Yearly <Badge tone="accent">{saving}</Badge>
        </>
      ),
    },
  ] as const
}
